"""Ctrl-C, SIGTERM and a closed terminal end the demo once, in order, whatever it is at."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine
from types import FrameType
from typing import Any, TypeVar

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

Result = TypeVar("Result")


class Stopped(KeyboardInterrupt):
    """Somebody wants the demo to end."""


class Interruption:
    """Turns the first signal into ``Stopped``; those after it are passed over, so that what was started is stopped.

    One handler for blocking code and for a running loop: there is no moment in which a signal would kill at once.
    """

    def __init__(self) -> None:
        self.received = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None

    def install(self) -> None:
        for number in SIGNALS:
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # nohup ignores it on purpose
                signal.signal(number, self._handle)

    def ignore(self) -> None:
        """Pass over every signal from now on: what has begun to stop is stopped whole."""
        self.received = True

    def run(self, main: Coroutine[Any, Any, Result]) -> Result:
        """Run a coroutine as ``asyncio.run`` does; raises ``Stopped`` when a signal came meanwhile."""
        try:
            return asyncio.run(self._cancellable(main))
        except asyncio.CancelledError:
            raise Stopped from None

    async def _cancellable(self, main: Coroutine[Any, Any, Result]) -> Result:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        try:
            return await main
        finally:
            self._loop = self._task = None

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.received:
            return
        self.received = True
        if self._loop is None or self._task is None:
            raise Stopped
        self._loop.call_soon_threadsafe(self._task.cancel)
