"""Files of policies and suites, as bytes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final, TextIO

from admission import regularfile
from admission.errors import FileError, PolicyError, Problem

MAX_FILE_BYTES: Final = 1024 * 1024  # a ConfigMap cannot hold more
SUFFIXES: Final = (".yaml", ".yml", ".json")
STDIN: Final = "-"
STDIN_NAME: Final = "<stdin>"


def yaml_files(directory: Path) -> list[Path]:
    """The YAML and JSON files of a directory itself, sorted; not what is hidden (``..data`` of a ConfigMap mount).

    Raises:
        PolicyError: the directory cannot be read.
    """
    try:
        entries = sorted(directory.iterdir())
        return [
            entry
            for entry in entries
            if not entry.name.startswith(".") and entry.suffix in SUFFIXES and not entry.is_dir()
        ]
    except OSError as error:
        raise PolicyError([Problem(str(directory), 0, "", _cannot_read(error))]) from error


def yaml_files_below(directory: Path) -> Iterator[Path]:
    """The YAML and JSON files of every directory below one, the parent's first; hidden ones and links are not entered.

    Raises:
        PolicyError: a directory cannot be read.
    """
    try:
        below = sorted(each for each in directory.iterdir() if not each.name.startswith(".") and _is_folder(each))
    except OSError as error:
        raise PolicyError([Problem(str(directory), 0, "", _cannot_read(error))]) from error
    for each in below:
        yield from yaml_files(each)
        yield from yaml_files_below(each)


def _is_folder(entry: Path) -> bool:
    return entry.is_dir() and not entry.is_symlink()


def read_bytes(path: str | Path, limit: int = MAX_FILE_BYTES) -> bytes:
    """What is in a regular file of at most ``limit`` bytes.

    Raises:
        PolicyError: it cannot be read, or it is larger.
    """
    try:
        return regularfile.read(path, limit)
    except FileError as error:
        raise PolicyError([Problem(error.name, 0, "", f"cannot be read: {error.reason}")]) from error


def read_stream(stream: BinaryIO | TextIO, name: str = STDIN_NAME, limit: int = MAX_FILE_BYTES) -> bytes:
    """What comes from an open stream, at most ``limit`` bytes.

    Raises:
        PolicyError: it cannot be read, or there is more.
    """
    try:
        content = stream.read(limit + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise PolicyError([Problem(name, 0, "", f"cannot be read: {error}")]) from error
    found = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    if len(found) > limit:
        raise PolicyError([Problem(name, 0, "", f"cannot be read: it is larger than {limit} bytes")])
    return found


def _cannot_read(error: OSError) -> str:
    return f"cannot be read: {error.strerror or error}"
