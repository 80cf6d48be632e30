"""The signals that end a server."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, NoReturn

_ENDING: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_BY_A_SIGNAL: Final = 128


class Signals:
    """SIGTERM, SIGINT, and SIGHUP unless ``nohup`` is on: the first asks for a quiet end, a second one for an end."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.first = asyncio.Event()
        self.second = asyncio.Event()
        for number in _ENDING:
            if not _is_ignored_hang_up(number):
                loop.add_signal_handler(number, self._received)

    def _received(self) -> None:
        (self.second if self.first.is_set() else self.first).set()


@contextmanager
def heeded_from_the_start() -> Iterator[None]:
    """Let the same signals end the process while there is no server yet that takes them.

    The first process of a container is spared every signal that it has no handler for: without one, a pod that is
    deleted while it reads its policies would stay for the whole of its grace period. For the main thread alone.
    """
    before = {number: signal.getsignal(number) for number in _ENDING if not _is_ignored_hang_up(number)}
    for number in before:
        signal.signal(number, _leave)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _leave(number: int, _: FrameType | None) -> NoReturn:
    raise SystemExit(_BY_A_SIGNAL + number)


def _is_ignored_hang_up(number: signal.Signals) -> bool:
    """True for SIGHUP under ``nohup``."""
    return number is signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN
