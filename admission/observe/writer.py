"""Lines on their way to a sink: a bounded queue and a thread of its own, so that nobody waits for a slow reader."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Final, TypeAlias

from admission.observe.sink import Sink

Line: TypeAlias = bytes | Callable[[], bytes]
"""A line with its line feed, or what makes it in the thread."""

TICK: Final = 60.0
"""Seconds without lines after which a sink gets a turn."""

_BATCH: Final = 256
_BATCH_BYTES: Final = 1024 * 1024
_FLUSH_TIMEOUT: Final = 5.0


class Writer:
    """Hands lines to a thread that writes them.

    ``put`` never waits: when ``capacity`` lines wait already, or the sink loses lines, they are dropped and
    ``on_dropped`` is told how many (also from the thread); ``on_trouble`` is told what went wrong in the sink.
    ``linger`` is the seconds that a line waits for company, ``tick`` those without lines after which the sink gets a
    turn.
    The thread is a daemon: a sink that blocks for ever keeps no process from its end.
    """

    def __init__(
        self,
        sink: Sink,
        *,
        name: str,
        capacity: int,
        linger: float = 0.0,
        tick: float = TICK,
        on_dropped: Callable[[int], None] = lambda count: None,
        on_trouble: Callable[[str], None] = lambda trouble: None,
    ) -> None:
        self._sink = sink
        self._capacity = capacity
        self._linger = linger
        self._tick = tick
        self._on_dropped = on_dropped
        self._on_trouble = on_trouble
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
        self._give_a_turn()
        while not done:
            lines: list[bytes] = []
            flushed: list[threading.Event] = []
            done = self._take(lines, flushed)
            lost = len(lines) - self._written(lines)
            if lost:
                self._on_dropped(lost)
            self._give_a_turn()
            for event in flushed:
                self._awaited.clear()
                event.set()
        self._sink.close()

    def _written(self, lines: list[bytes]) -> int:
        written = 0
        if lines:
            with suppress(Exception):  # a sink of somebody else: its lines are lost, the log goes on
                written = self._sink.write(lines)
            self._tell_trouble()
        return written

    def _give_a_turn(self) -> None:
        with suppress(Exception):
            self._sink.tick()
        self._tell_trouble()

    def _tell_trouble(self) -> None:
        if self._sink.trouble:
            self._on_trouble(self._sink.trouble)

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
        try:
            item = self._queue.get(timeout=self._tick)
        except Empty:
            return False
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
