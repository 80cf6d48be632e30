"""Files that people name, read whole: a regular file of bounded size, never a pipe, a device or a directory.

A pipe that nobody writes to would wait for ever, a device may never end, and opening one can set it off. A pipe that
the shell has opened for us (``<(kubectl get … -o yaml)``) has a writer: it is read.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

from admission.errors import FileError

Name: TypeAlias = str | Path

MAX_PEM_BYTES: Final = 1024 * 1024
"""Certificates and keys: what a Secret can hold."""

_KINDS: Final[tuple[tuple[Callable[[int], bool], str], ...]] = (
    (stat.S_ISDIR, "it is a directory; name a file"),
    (stat.S_ISFIFO, "it is a pipe; name a file, or pass it as the standard input"),
    (stat.S_ISCHR, "it is a device; name a file"),
    (stat.S_ISBLK, "it is a device; name a file"),
    (stat.S_ISSOCK, "it is a socket; name a file"),
)


def read(name: Name, limit: int) -> bytes:
    """What is in a regular file of at most ``limit`` bytes.

    Raises:
        FileError: it is missing, something else than a regular file, unreadable, or larger.
    """
    try:
        _check_regular(name, _mode(name))
        blocking = 0 if _handed_over(name) else os.O_NONBLOCK
        with os.fdopen(os.open(name, os.O_RDONLY | os.O_CLOEXEC | blocking), "rb") as file:
            _check_regular(name, os.fstat(file.fileno()).st_mode)  # it may have been replaced
            content = file.read(limit + 1)
    except OSError as error:
        raise FileError(str(name) or '""', _reason(name, error)) from error
    if len(content) > limit:
        raise FileError(str(name), f"it is larger than {limit} bytes")
    return content


def is_directory(name: Name) -> bool:
    """True for a directory, False for a regular file.

    Raises:
        FileError: there is nothing, or something else.
    """
    mode = _mode(name)
    if stat.S_ISDIR(mode):
        return True
    _check_regular(name, mode)
    return False


def _mode(name: Name) -> int:
    try:
        return os.stat(name).st_mode  # noqa: PTH116  # Path("") would be the current directory
    except OSError as error:
        raise FileError(str(name) or '""', _reason(name, error)) from error
    except ValueError:  # a NUL, or what no file system can encode
        raise FileError(ascii(str(name)), "no file can have this name") from None


def _handed_over(name: Name) -> bool:
    """True for what names one of our open descriptors, as process substitution does."""
    return str(name).startswith(("/dev/fd/", "/proc/self/fd/"))


def _check_regular(name: Name, mode: int) -> None:
    if not stat.S_ISREG(mode) and not (stat.S_ISFIFO(mode) and _handed_over(name)):
        raise FileError(str(name), next((kind for test, kind in _KINDS if test(mode)), "it is no regular file"))


def _reason(name: Name, error: OSError) -> str:
    if not str(name):
        return "the name is empty; name a file"
    if error.errno == errno.ELOOP:
        return "it is a link that leads to itself"
    if error.errno == errno.ENOENT and Path(name).is_symlink():
        return f"it is a link to {Path(name).readlink()}, which does not exist"
    return error.strerror or str(error)
