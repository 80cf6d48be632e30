"""The signals that end a server."""

from __future__ import annotations

import asyncio
import signal


class Signals:
    """SIGTERM, SIGINT, and SIGHUP unless ``nohup`` is on: the first asks for a quiet end, a second one for an end."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.first = asyncio.Event()
        self.second = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            if number is signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN:
                continue
            loop.add_signal_handler(number, self._received)

    def _received(self) -> None:
        (self.second if self.first.is_set() else self.first).set()
