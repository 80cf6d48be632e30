"""A log file that is rotated by itself, and that others may rotate, too.

Several processes may write to one file of a local file system: every batch of lines is written under a lock of the
file, and whoever rotates holds it. Lines are only ever appended, so what follows the file need not read it again.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from admission.engine.instant import MINUTE, parse_time
from admission.handler import Clock
from admission.observe.rotation import Rotation, free_name, rotated_files
from admission.observe.sink import LINE_FEED, DescriptorSink, Sink, told, write_all

_FLAGS: Final = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK
_MODE: Final = 0o640
_TIME_FIRST: Final = re.compile(rb'\{"time": ?"([0-9TZ:.+-]{10,40})"')
_LONGEST_TIME: Final = 64
_TRIES: Final = 10
"""Files that may take each other's place while the lock is waited for; after that a file may get too large."""
_NO_FILES: Final = ("/dev/", "/proc/")
"""Where names stand for what somebody else has opened."""


def log_sink(path: Path, rotation: Rotation, clock: Clock) -> Sink:
    """The sink for a path: a file that is rotated, or whatever else is there (a device, a pipe that is read).

    Raises:
        OSError: it cannot be opened, or nobody reads the pipe.
    """
    if str(path).startswith(_NO_FILES) or (path.exists() and not path.is_file()):
        return DescriptorSink.file(path)
    return LogFile(path, rotation, clock)


class LogFile:
    """Appends lines to a file.

    What cannot be written is lost, and the next line tried afresh; half a line, of a full disk or of a process that was
    killed, is ended first. When somebody moved or removed the file a new one is made; when the directory cannot be
    written to, the old one is used further, beyond its bounds.
    """

    def __init__(self, path: Path, rotation: Rotation, clock: Clock) -> None:
        """Open the file, or make it.

        Raises:
            OSError: it cannot be opened.
        """
        self.trouble = ""
        self._path = path.resolve()  # a link stays where it is
        self._rotation = rotation
        self._clock = clock
        self._descriptor = _opened(self._path)
        self._size = 0
        self._started: int | None = None
        self._tidy_at: int | None = None

    def write(self, lines: Sequence[bytes]) -> int:
        """Write the lines; returns how many arrived whole."""
        data = b"".join(lines)
        self.trouble = ""
        try:
            with self._held(len(data)):
                return self._append(data)
        except OSError as error:
            self.trouble = told(error)
            return 0

    def tick(self) -> None:
        """Once a minute, rotate a file that nobody writes to any more and remove what was kept long enough."""
        self.trouble = ""
        now = self._clock()
        if self._tidy_at is not None and abs(now - self._tidy_at) < MINUTE:
            return
        self._tidy_at = now
        try:
            with self._held():
                self._tidy()
        except OSError as error:
            self.trouble = told(error)

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)

    # --- the file --------------------------------------------------------------------------------------------------

    @contextmanager
    def _held(self, more: int = 0) -> Iterator[None]:
        """Hold the lock of the file that is at the path, a new one when it is due before ``more`` bytes."""
        rotated = False
        for _ in range(_TRIES):
            self._lock()
            if not self._in_place() and self._reopen():
                continue  # what is there now is to be locked, too
            self._measure()
            if not self._rotation.due(self._size, more, self._age()) or not self._move():
                break
            rotated = True
        try:
            if rotated:
                self._tidy()
            yield
        finally:
            with suppress(OSError):
                fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def _lock(self) -> None:
        with suppress(OSError):  # a file system without locks: then one process at a time
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)

    def _in_place(self) -> bool:
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return False
        return os.path.samestat(found, os.fstat(self._descriptor))

    def _reopen(self) -> bool:
        """Open what is at the path now; False when that is impossible and the old file is used further.

        Raises:
            OSError: the old one was removed: whatever is written to it is lost.
        """
        try:
            descriptor = _opened(self._path)
        except OSError as error:
            if not os.fstat(self._descriptor).st_nlink:
                raise
            self.trouble = told(error)
            return False
        os.close(self._descriptor)
        self._descriptor, self._size, self._started = descriptor, 0, None
        return True

    def _append(self, data: bytes) -> int:
        mend = b"" if self._ends_whole() else LINE_FEED
        written, error = write_all(self._descriptor, mend + data)
        self._size += written
        if error is not None:
            self.trouble = told(error)
        return data[: max(0, written - len(mend))].count(LINE_FEED)

    def _ends_whole(self) -> bool:
        return not self._size or os.pread(self._descriptor, 1, self._size - 1) == LINE_FEED

    # --- rotation --------------------------------------------------------------------------------------------------

    def _measure(self) -> None:
        size = os.fstat(self._descriptor).st_size
        if size < self._size:
            self._started = None  # somebody emptied it
        self._size = size

    def _age(self) -> int:
        """Nanoseconds since the first line was logged, or since the last when the first does not tell."""
        if self._started is None and self._size:
            first = _TIME_FIRST.match(os.pread(self._descriptor, _LONGEST_TIME, 0))
            time = parse_time(first[1].decode()) if first else None
            self._started = os.fstat(self._descriptor).st_mtime_ns if time is None else time
        return 0 if self._started is None else self._clock() - self._started

    def _move(self) -> bool:
        """Make room for a new file; False when that is impossible, and lines go on in the old one."""
        if not self._in_place():
            return False  # what is at the path now is not ours to move
        try:
            self._path.rename(free_name(self._path, rotated_files(self._path), self._clock()))
        except OSError as error:
            self.trouble = told(error)
            return False
        return True

    def _tidy(self) -> None:
        try:
            outlived = [*self._rotation.outlived(rotated_files(self._path), self._size, self._clock())]
        except OSError as error:
            self.trouble = told(error)
            return
        for path in outlived:
            try:
                path.unlink(missing_ok=True)  # another process may be as far
            except OSError as error:
                self.trouble = told(error)


def _opened(path: Path) -> int:
    descriptor = os.open(path, _FLAGS, _MODE)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no regular file any more", str(path))
    os.set_blocking(descriptor, True)
    return descriptor
