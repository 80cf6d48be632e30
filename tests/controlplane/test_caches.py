"""What a build is said to keep is what is on the disk, and only where there is something."""

from __future__ import annotations

import os
from pathlib import Path

from tests.controlplane.build import cache_folder
from tests.controlplane.caches import caches, usage


def machine(folder: Path, answer: str) -> dict[str, str]:
    """Return the environment of a home with built servers and a Go that answers ``go env`` like this."""
    go = folder / "bin" / "go"
    go.parent.mkdir()
    go.write_text(f'#!/bin/sh\n[ "$1" = version ] && echo "go version go1.30.0 linux/amd64" || {answer}\n')
    go.chmod(0o755)
    environ = {"HOME": str(folder / "home"), "PATH": str(folder / "bin")}
    written(cache_folder(environ) / "etcd-v1" / "etcd")
    return environ


def written(path: Path) -> Path:
    path.parent.mkdir(parents=True)
    path.write_bytes(os.urandom(100_000))
    return path


def test_names_the_servers_and_the_caches_that_go_names(tmp_path: Path) -> None:
    environ = machine(tmp_path, f'printf "{tmp_path}/compiled\\n{tmp_path}/fetched\\n"')
    written(tmp_path / "compiled" / "a")
    written(tmp_path / "fetched" / "a")
    found = caches(environ)
    assert [(cache.folder, cache.holds) for cache in found] == [
        (cache_folder(environ), "servers"),
        (tmp_path / "compiled", "Go's builds"),
        (tmp_path / "fetched", "Go's modules"),
    ]
    assert all(cache.size == 100_000 for cache in found)


def test_names_no_folder_that_is_not_there(tmp_path: Path) -> None:
    environ = machine(tmp_path, f'printf "{tmp_path}/compiled\\noff\\n"')
    assert [cache.holds for cache in caches(environ)] == ["servers"]


def test_a_go_that_does_not_answer_is_no_failure(tmp_path: Path) -> None:
    assert [cache.holds for cache in caches(machine(tmp_path, "exit 1"))] == ["servers"]


def test_counts_what_is_in_folders_of_folders(tmp_path: Path) -> None:
    deep = written(tmp_path / "a" / "b" / "c")
    assert usage(tmp_path) == usage(deep.parent) == 100_000
