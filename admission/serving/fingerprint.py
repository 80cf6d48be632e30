"""How files look from outside: enough to see that one changed, without reading any."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

State: TypeAlias = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Equal to another one of the same files when none of them changed in between.

    A file that is replaced has another inode, one that is written to in place another time; so does one whose rights
    change. Of a directory only what it is counts, not what else happens in it. ``directories`` are those in which the
    system would tell of a change.
    """

    states: tuple[tuple[Path, State], ...]
    directories: frozenset[Path] = field(compare=False)

    @classmethod
    def of(cls, paths: Iterable[Path]) -> Fingerprint:
        """Look at files and directories; raises nothing, since what is wrong with one is part of how it looks."""
        states = tuple((path, _state(path)) for path in paths)
        return cls(states, frozenset(filter(_is_directory, _around(path for path, _ in states))))


def _state(path: Path) -> State:
    """What is behind all links: in a ConfigMap mount no file ever changes, but ``..data`` leads to other ones."""
    try:
        found = path.stat()
    except OSError as error:
        return (error.errno,)
    except ValueError:  # a NUL, or what no file system can encode
        return ()
    if stat.S_ISDIR(found.st_mode):
        return (found.st_dev, found.st_ino, found.st_mode)
    return (found.st_dev, found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def _around(paths: Iterable[Path]) -> Iterable[Path]:
    """The directories that hold files, and those that hold what their names lead to."""
    for path in paths:
        for name in {str(path), os.path.realpath(path) if "\0" not in str(path) else str(path)}:
            yield Path(name) if _is_directory(Path(name)) else Path(name).parent


def _is_directory(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
