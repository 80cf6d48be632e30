"""Lines on their way to a sink: a bounded queue and a thread of its own, so that nobody waits for a slow reader."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Final, TypeAlias

from admission.observe.sink import Sink

Line: TypeAlias = bytes | Callable[[], bytes]
"""A line with its line feed, or what makes it in the thread."""

_BATCH: Final = 256
_BATCH_BYTES: Final = 1024 * 1024
_FLUSH_TIMEOUT: Final = 5.0


class Writer:
    """Hands lines to a thread that writes them.

    ``put`` never waits: when ``capacity`` lines wait already, or the sink loses lines, they are dropped and
    ``on_dropped`` is told how many (also from the thread). ``linger`` is the seconds that a line waits for company.
    The thread is a daemon: a sink that blocks for ever keeps no process from its end.
    """

    def __init__(
        self,
        sink: Sink,
        *,
        name: str,
        capacity: int,
        linger: float = 0.0,
        on_dropped: Callable[[int], None] = lambda count: None,
    ) -> None:
        self._sink = sink
        self._capacity = capacity
        self._linger = linger
        self._on_dropped = on_dropped
        self._queue: SimpleQueue[Line | threading.Event | None] = SimpleQueue()
        self._awaited = threading.Event()
        self._thread = threading.Thread(target=self._write_lines, name=name, daemon=True)
        self._thread.start()

    @property
    def full(self) -> bool:
        """True when the next line would be dropped."""
        return self._queue.qsize() >= self._capacity

    def put(self, line: Line) -> None:
        """Take a line, or drop it."""
        if self.full:
            self._on_dropped(1)
        else:
            self._queue.put(line)

    def flush(self, timeout: float = _FLUSH_TIMEOUT) -> bool:
        """Wait until everything that was put is written; False when that took longer than ``timeout`` seconds."""
        written = threading.Event()
        self._queue.put(written)
        self._awaited.set()
        return written.wait(timeout)

    def close(self, timeout: float = _FLUSH_TIMEOUT) -> bool:
        """Write what is left and close the sink; False when the sink was too slow and lines are lost."""
        self._queue.put(None)
        self._awaited.set()
        self._thread.join(timeout)
        if self._thread.is_alive():
            self._on_dropped(self._queue.qsize())
            return False
        return True

    def _write_lines(self) -> None:
        done = False
        while not done:
            lines: list[bytes] = []
            flushed: list[threading.Event] = []
            done = self._take(lines, flushed)
            lost = len(lines) - self._written(lines)
            if lost:
                self._on_dropped(lost)
            for event in flushed:
                self._awaited.clear()
                event.set()
        self._sink.close()

    def _written(self, lines: list[bytes]) -> int:
        try:
            return self._sink.write(lines) if lines else 0
        except Exception:  # a sink of somebody else: its lines are lost, the log goes on
            return 0

    def _add(self, line: Line, lines: list[bytes]) -> int:
        """Add a line, and make it first if need be; returns its bytes."""
        try:
            lines.append(line if isinstance(line, bytes) else line())
        except Exception:  # whoever makes lines: that one is lost, the log goes on
            self._on_dropped(1)
            return 0
        return len(lines[-1])

    def _take(self, lines: list[bytes], flushed: list[threading.Event]) -> bool:
        """Wait for something to do, then take what is there; True when nothing more will come."""
        item = self._queue.get()
        if self._linger:
            self._awaited.wait(self._linger)
        size = 0
        while item is not None:
            if isinstance(item, threading.Event):
                flushed.append(item)
            else:
                size += self._add(item, lines)
            if len(lines) >= _BATCH or size >= _BATCH_BYTES:
                return False
            try:
                item = self._queue.get_nowait()
            except Empty:
                return False
        return True
