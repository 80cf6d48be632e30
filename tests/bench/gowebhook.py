"""The webhooks in Go that the product is compared with: built once for each content and toolchain, then cached."""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.controlplane.build import cache_folder
from tests.controlplane.toolchain import Go, find_go

WEBHOOKS: Final = Path(__file__).with_name("webhooks")
"""A folder for each: a module with its go.mod and go.sum."""

BUILD_WITHIN: Final = 1_800.0  # seconds; one or two minutes are expected, with the fetching of modules


class WebhookBuildError(Exception):
    """A webhook could not be built; the message has what the compiler says."""


def built(name: str, environ: Mapping[str, str] = os.environ) -> Path:
    """The webhook's executable, compiled when the cache has none of this content.

    Raises:
        ToolchainError: there is no Go.
        WebhookBuildError: the compiler refuses.
    """
    go = find_go(environ)
    cache = cache_folder(environ).parent.parent / "bench" / cache_folder(environ).name
    binary = cache / f"{name}-{_content(name, go)}"
    if not binary.is_file():
        cache.mkdir(parents=True, exist_ok=True)
        _compile(name, binary, go, environ)
    return binary


def run_go(name: str, go: Go, *arguments: str, environ: Mapping[str, str] = os.environ) -> str:
    """What a Go command says in the folder of a webhook. Raises ``WebhookBuildError`` when it fails."""
    done = subprocess.run(
        [go.command, *arguments],
        check=False,
        cwd=WEBHOOKS / name,
        env=go.environment(environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=BUILD_WITHIN,
    )
    if done.returncode:
        raise WebhookBuildError(f"go {arguments[0]} of {name} failed:\n{done.stdout[-4_000:]}")
    return done.stdout


def _content(name: str, go: Go) -> str:
    """What the executable is made of, as a short digest."""
    digest = hashlib.sha256(go.version.encode())
    for file in sorted((WEBHOOKS / name).iterdir()):
        digest.update(f"\0{file.name}\0".encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def _compile(name: str, binary: Path, go: Go, environ: Mapping[str, str]) -> None:
    """Build beside the final place and rename: whoever builds the same meanwhile does no harm."""
    with tempfile.TemporaryDirectory(dir=binary.parent, prefix=f"{name}-") as folder:
        unfinished = Path(folder) / name
        run_go(name, go, "build", "-trimpath", "-o", str(unfinished), ".", environ=environ)
        unfinished.replace(binary)
