"""What the process says about itself: one JSON object a line, on stderr.

Messages are constant, what varies is in fields. A fault is logged once per cause and minute, with the number of those
that were not. Of an unexpected exception the kind and the place are told, never its text: that may hold a status.
Lines never delay an answer: when nobody reads them they are dropped, and ``lines lost`` tells how many there were.
"""

from __future__ import annotations

import json
import logging
import threading
import traceback
from collections.abc import Callable
from typing import Any, Final

import msgspec
import structlog

from admission.engine.instant import MINUTE
from admission.errors import StatuscapError
from admission.handler import Clock
from admission.observe.entry import rfc3339
from admission.observe.sink import Sink
from admission.observe.writer import Writer

CAPACITY: Final = 1_024
"""Lines that may wait for the sink: some 300 KB, far more than a minute has causes of faults."""

CLOSE_TIMEOUT: Final = 1.0
"""Seconds that the end of the process waits for the last lines to be written."""

_DEEPEST: Final = 6
_TELLING: Final = (StatuscapError, msgspec.DecodeError, UnicodeDecodeError)
"""Exceptions whose text is ours, or tells positions and types but no values."""


class ProcessLog:
    """Writes JSON lines to a sink, from a thread of its own."""

    def __init__(self, sink: Sink, clock: Clock, monotonic: Clock, *, capacity: int = CAPACITY) -> None:
        """``clock`` gives the time of each line, ``monotonic`` the minutes of faults: nanoseconds that never jump."""
        self._clock = clock
        self._monotonic = monotonic
        self._faults: dict[str, _Fault] = {}
        self._losses = _Losses()
        self._writer = Writer(sink, name="process-log", capacity=capacity, on_dropped=self._losses.add)
        self._logger = structlog.wrap_logger(
            _Lines(self._put),
            wrapper_class=structlog.BoundLogger,
            context_class=dict,
            cache_logger_on_first_use=False,
            processors=[
                self._headed,
                structlog.processors.JSONRenderer(serializer=_encoded),
            ],
        )

    def info(self, message: str, **fields: Any) -> None:
        """Something that was expected."""
        self._logger.info(message, **fields)

    def warning(self, message: str, **fields: Any) -> None:
        """Something that somebody should look at."""
        self._logger.warning(message, **fields)

    def error(self, message: str, **fields: Any) -> None:
        """Something that keeps the process from its work."""
        self._logger.error(message, **fields)

    def fault(self, cause: str, error: BaseException | None = None, **fields: Any) -> None:
        """A fault of ours that an answer covered up: one line per cause and minute."""
        known = self._faults.setdefault(cause, _Fault())
        now = self._monotonic()
        if known.silent_until is not None and now < known.silent_until:
            known.held_back += 1
            return
        held_back, known.held_back = known.held_back, 0
        known.silent_until = now + MINUTE
        told = {} if error is None else describe(error)
        self._logger.error("fault", cause=cause, held_back=held_back, **told, **fields)

    def flush(self) -> bool:
        """Wait until everything that was said is written; False when the sink is too slow."""
        return self._writer.flush()

    def close(self, timeout: float = CLOSE_TIMEOUT) -> bool:
        """Write what is left; False when the sink was too slow for ``timeout`` seconds, and lines are lost."""
        self._tell_losses()
        return self._writer.close(timeout)

    def handler(self) -> logging.Handler:
        """A handler for the libraries' own loggers: their warnings become faults, one line per logger and minute."""
        return _Forward(self)

    def _put(self, line: str) -> None:
        self._tell_losses()
        self._writer.put(f"{line}\n".encode())

    def _tell_losses(self) -> None:
        """Say how many lines were lost since the start, when that is news and there is room to say it."""
        if self._losses.untold and not self._writer.full:
            head = {"time": rfc3339(self._clock()), "level": "warning", "message": "lines lost"}
            self._writer.put(f"{_encoded({**head, 'since_start': self._losses.tell()})}\n".encode())

    def _headed(self, _: object, level: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
        """Time, level and message first, as a reader looks for them."""
        message = event.pop("event")
        return {"time": rfc3339(self._clock()), "level": level, "message": message, **event}


class _Lines:
    """What structlog takes for a logger: each of its methods takes a finished line."""

    def __init__(self, put: Callable[[str], None]) -> None:
        self.info = self.warning = self.error = put


class _Losses:
    """Counts lost lines since the start, from any thread; when a report is lost too, the next is still right."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._told = 0

    @property
    def untold(self) -> bool:
        return self._count > self._told

    def add(self, lines: int) -> None:
        with self._lock:
            self._count += lines

    def tell(self) -> int:
        self._told = self._count
        return self._told


class _Fault:
    """What is remembered of a cause."""

    __slots__ = ("held_back", "silent_until")

    def __init__(self) -> None:
        self.silent_until: int | None = None
        self.held_back = 0


class _Forward(logging.Handler):
    """Passes what a library logs to the process log; its arguments are left out, since they may hold a status."""

    def __init__(self, log: ProcessLog) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        self._log.fault(record.name, error, template=str(record.msg))


def describe(error: BaseException) -> dict[str, Any]:
    """The kind of an exception and where it came from; its text only when that cannot hold a value."""
    frames = traceback.extract_tb(error.__traceback__)[-_DEEPEST:]
    told: dict[str, Any] = {
        "error": type(error).__name__,
        "at": [f"{frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.name}" for frame in frames],
    }
    if isinstance(error, _TELLING):
        told["detail"] = str(error)
    return told


def _encoded(event: Any, **_: Any) -> str:
    try:
        return msgspec.json.encode(event, enc_hook=str).decode()
    except UnicodeEncodeError:  # the name of a file may be bytes that are no UTF-8
        return json.dumps(event, default=str)
