"""Folders as the kubelet mounts ConfigMaps and Secrets: files are links through ``..data``, which is swapped."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path


def swap(folder: Path, files: Mapping[str, bytes]) -> None:
    """Replace all files of a mounted folder at once; the first time makes it."""
    version = folder / f"..{secrets.token_hex(6)}"
    version.mkdir(parents=True)
    for name, content in files.items():
        (version / name).write_bytes(content)
    draft = folder / "..data_tmp"
    draft.symlink_to(version.name)
    draft.replace(folder / "..data")
    for name in files:
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(Path("..data") / name)
