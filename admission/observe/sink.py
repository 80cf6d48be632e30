"""Where the lines of the decision log and the process log go."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol

LINE_FEED: Final = b"\n"


class Sink(Protocol):
    """A place for lines. Called from one thread only."""

    trouble: str
    """What went wrong in the last call; empty when nothing did."""

    def write(self, lines: Sequence[bytes]) -> int:
        """Take lines (each with its line feed); returns how many were taken whole. Never raises."""
        ...

    def tick(self) -> None:
        """Called after lines, and now and then when there are none. Never raises."""
        ...

    def close(self) -> None:
        """Let go of the place."""
        ...


class MemorySink:
    """Keeps lines in a list: for tests, and for whoever embeds the handler."""

    def __init__(self) -> None:
        self.trouble = ""
        self.lines: list[bytes] = []
        self.closed = False

    def write(self, lines: Sequence[bytes]) -> int:
        """Keep the lines."""
        self.lines += lines
        return len(lines)

    def tick(self) -> None:
        """Nothing to do."""

    def close(self) -> None:
        """Remember that it was closed."""
        self.closed = True


class DescriptorSink:
    """Writes to an open file descriptor.

    A write that fails (a full disk, a closed pipe) loses its lines, and the next one is tried afresh. What was cut off
    in the middle of a line is ended with a line feed first, so that one broken line does not spoil the next.
    """

    def __init__(self, descriptor: int, *, owned: bool = False) -> None:
        """``owned`` descriptors are closed with the sink."""
        self.trouble = ""
        self._descriptor = descriptor
        self._owned = owned
        self._torn = False

    @classmethod
    def stdout(cls) -> DescriptorSink:
        """The process's standard output."""
        return cls(sys.stdout.fileno())

    @classmethod
    def stderr(cls) -> DescriptorSink:
        """The process's standard error output."""
        return cls(sys.stderr.fileno())

    @classmethod
    def file(cls, path: Path) -> DescriptorSink:
        """A file to append to, made when there is none; also a device like ``/dev/null``, or a pipe that is read.

        Raises:
            OSError: it cannot be opened, or nobody reads the pipe.
        """
        # without O_NONBLOCK, opening a pipe would wait for its reader
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK
        try:
            descriptor = os.open(path, flags, 0o640)
        except OSError as error:
            if error.errno == errno.ENXIO:
                raise OSError(
                    error.errno, "it is a pipe that nobody reads; start its reader first", str(path)
                ) from error
            raise
        os.set_blocking(descriptor, True)
        return cls(descriptor, owned=True)

    def write(self, lines: Sequence[bytes]) -> int:
        """Write the lines; returns how many arrived whole."""
        mend = LINE_FEED if self._torn else b""
        data = mend + b"".join(lines)
        written, error = write_all(self._descriptor, data)
        self.trouble = "" if error is None else told(error)
        if written:
            self._torn = not data[:written].endswith(LINE_FEED)
        return data[len(mend) : written].count(LINE_FEED)

    def tick(self) -> None:
        """Nothing to do."""
        self.trouble = ""

    def close(self) -> None:
        """Close the file; the standard output stays open."""
        if self._owned:
            os.close(self._descriptor)


def write_all(descriptor: int, data: bytes) -> tuple[int, OSError | None]:
    """Write all of it; returns the bytes that arrived, and why it is not all of them."""
    written, view = 0, memoryview(data)
    while written < len(data):
        try:
            written += os.write(descriptor, view[written:])
        except OSError as error:
            return written, error
    return written, None


def told(error: OSError) -> str:
    """What the system says, with the file if it is known."""
    where = f"{error.filename}: " if isinstance(error.filename, str) else ""
    return f"{where}{error.strerror}"
