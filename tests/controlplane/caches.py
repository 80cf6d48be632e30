"""What a build keeps for the next one: where it is, and how much of the disk it takes."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.controlplane.build import cache_folder
from tests.controlplane.toolchain import ToolchainError, find_go

ANSWER_WITHIN = 30.0  # seconds; "go env" takes milliseconds


@dataclass(frozen=True, slots=True)
class Cache:
    """One folder, what is in it, and the bytes of all its files."""

    folder: Path
    holds: str
    size: int


def caches(environ: Mapping[str, str] = os.environ) -> list[Cache]:
    """Return the folders that a build fills and that exist; looking at them all takes some seconds.

    All may be removed: what is needed is fetched or built again.
    """
    folders = {cache_folder(environ): "servers", **go_caches(environ)}
    return [Cache(folder, holds, usage(folder)) for folder, holds in folders.items() if folder.is_dir()]


def go_caches(environ: Mapping[str, str]) -> dict[Path, str]:
    """Return Go's own caches, which it shares among all that it builds; empty when there is no Go."""
    try:
        go = find_go(environ)
        answer = subprocess.run(
            [go.command, "env", "GOCACHE", "GOMODCACHE"],
            env=go.environment(environ),
            capture_output=True,
            check=True,
            text=True,
            timeout=ANSWER_WITHIN,
        )
    except (ToolchainError, OSError, subprocess.SubprocessError):
        return {}
    return dict(zip(map(Path, answer.stdout.splitlines()), ("Go's builds", "Go's modules"), strict=False))


def usage(folder: Path) -> int:
    """Return the bytes of all files below a folder; what vanishes meanwhile has none."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += Path(parent, name).lstat().st_size
    return total
