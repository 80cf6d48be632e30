"""Lines on their way to a sink: a bounded queue and a thread of its own, so that nobody waits for a slow reader."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Final

from admission.observe.sink import Sink

_BATCH: Final = 256
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
        self._queue: SimpleQueue[bytes | threading.Event | None] = SimpleQueue()
        self._awaited = threading.Event()
        self._thread = threading.Thread(target=self._write_lines, name=name, daemon=True)
        self._thread.start()

    @property
    def full(self) -> bool:
        """True when the next line would be dropped."""
        return self._queue.qsize() >= self._capacity

    def put(self, line: bytes) -> None:
        """Take a line (with its line feed), or drop it."""
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

    def _take(self, lines: list[bytes], flushed: list[threading.Event]) -> bool:
        """Wait for something to do, then take what is there; True when nothing more will come."""
        item = self._queue.get()
        if self._linger:
            self._awaited.wait(self._linger)
        while item is not None:
            if isinstance(item, threading.Event):
                flushed.append(item)
            else:
                lines.append(item)
            if len(lines) >= _BATCH:
                return False
            try:
                item = self._queue.get_nowait()
            except Empty:
                return False
        return True
