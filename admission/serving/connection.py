"""A connection as HTTP sees it: when a call began on it, and how long its headers may take."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

from aiohttp import web

HEADER_TIMEOUT: Final = 10.0
"""Seconds for the headers of a call to arrive, from their first byte: the API server sends its own at once, and who
has sent none of it yet is idle, which is what the keep-alive time is for."""

_END_OF_HEADERS: Final = b"\r\n\r\n"
_LINE_ENDS: Final = b"\r\n"


class Connection(web.RequestHandler):
    """A connection that remembers when the first byte of a call came in: under overload, calls wait behind others.

    It ends when the headers of a call do not arrive in time. ``arrival`` is nanoseconds, 0 between two calls and for
    a call whose bytes came in behind the one before it.
    """

    __slots__ = ("_header_timeout", "_headers_late", "_monotonic", "arrival")

    def __init__(
        self, manager: web.Server, monotonic: Callable[[], int], header_timeout: float, **options: Any
    ) -> None:
        super().__init__(manager, **options)
        self._monotonic = monotonic
        self._header_timeout = header_timeout
        self._headers_late: asyncio.TimerHandle | None = None
        self.arrival = 0

    def data_received(self, data: bytes) -> None:
        if data and not self.arrival:  # aiohttp passes empty data to go on parsing
            self.arrival = self._monotonic()
            if _END_OF_HEADERS not in data or data[0] in _LINE_ENDS:  # else they came in one piece, as they always do
                self._headers_late = self._loop.call_later(self._header_timeout, self._abort)
        super().data_received(data)

    def connection_lost(self, exc: BaseException | None) -> None:
        self.headers_came()
        super().connection_lost(exc)

    def headers_came(self) -> None:
        """The call at hand can be answered."""
        if self._headers_late is not None:
            self._headers_late.cancel()
            self._headers_late = None

    def expect_next(self) -> None:
        """The call at hand was read to its end: what comes next is another one."""
        self.arrival = 0

    def _abort(self) -> None:
        if self.transport is not None:
            self.transport.abort()


class Connections(web.Server):
    """Makes connections; ``options`` go to each of them."""

    def __init__(self, answer: Any, *, monotonic: Callable[[], int], header_timeout: float, **options: Any) -> None:
        super().__init__(answer)
        self._monotonic = monotonic
        self._header_timeout = header_timeout
        self._options = options

    def __call__(self) -> web.RequestHandler:
        loop = asyncio.get_running_loop()
        return Connection(self, self._monotonic, self._header_timeout, loop=loop, **self._options)
