"""A connection as HTTP sees it: when a call began on it, whose turn it is, and how long the client may take."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from http import HTTPStatus
from typing import Any, Final, Protocol, cast

from aiohttp import hdrs, web
from aiohttp.http_exceptions import HttpProcessingError
from multidict import CIMultiDict

from admission.engine.instant import SECOND
from admission.serving.inflight import Claim, InFlight

SLOW: Final = 2 * SECOND
"""Nanoseconds after which a client that is in the middle of something may be cut off for the sake of another: the API
server sends what it sends at once, and reads what it gets; many webhooks have no longer timeout."""

UNREAD: Final = 16 * 1024
"""Bytes of answers that may wait behind the 64 KiB that the transport takes, before no more calls are read."""

UNPARSED: Final = 64 * 1024
"""Bytes that TLS may have read ahead of a connection of which no more is wanted; else it is less than a record."""

MOST_QUEUED: Final = 2
"""Calls that are parsed ahead of the one being answered, when a client sends several without waiting (the API server
never does). aiohttp would take 32, with their bodies."""

_END_OF_HEADERS: Final = b"\r\n\r\n"
_LINE_ENDS: Final = b"\r\n"
_TEXT_HEADERS: Final = CIMultiDict({hdrs.CONTENT_TYPE: "text/plain; charset=utf-8", hdrs.SERVER: "statuscap"})


class _Buffering(Protocol):
    """A transport that reads ahead."""

    def set_read_buffer_limits(self, high: int) -> None:
        """Read no more from the socket while so many bytes are kept."""


class Closed(StrEnum):
    """Why a connection was closed on its client, for a metric's label."""

    DESCRIPTORS = "descriptors"
    MAX_CONNECTIONS = "max_connections"
    HANDSHAKE = "handshake"
    HEADER_TIMEOUT = "header_timeout"
    ANSWER_TIMEOUT = "answer_timeout"
    BYTES_IN_FLIGHT = "bytes_in_flight"


class Witness(Protocol):
    """Who is told about calls that came to nothing."""

    def refused(self, status: int) -> None:
        """Take note of a call that was refused with an HTTP status."""
        ...

    def closed(self, why: Closed, detail: str = "") -> None:
        """Take note of a connection that was closed on its client. ``detail`` is OpenSSL's word for what failed."""
        ...

    def not_accepted(self, error: OSError) -> None:
        """Take note that the system gave no connection, for another reason than a shortage."""
        ...


@dataclass(frozen=True, slots=True)
class Patience:
    """How long clients may take, in seconds: for the headers of a call, and to read an answer."""

    headers: float
    answer: float


class Connection(web.RequestHandler):
    """A connection that knows whose turn it is.

    It ends when the headers of a call do not arrive in time, from their first byte (who has sent none of it yet is
    idle, which is what the keep-alive time is for), or when an answer is not read in time.

    ``arrival`` is when the first byte of the call at hand came in: under overload, calls wait behind others. It is 0
    between two calls and for one whose bytes came in behind the one before it. ``expires`` is when the connection has
    been used for long enough. Both are nanoseconds. ``held`` is what its client does not read.
    """

    __slots__ = (
        "_answer_late",
        "_headers_late",
        "_in_flight",
        "_last",
        "_monotonic",
        "_patience",
        "_unread_since",
        "_witness",
        "arrival",
        "busy",
        "expires",
        "held",
    )

    def __init__(
        self,
        manager: web.Server,
        patience: Patience,
        in_flight: InFlight,
        witness: Witness,
        monotonic: Callable[[], int],
        expires: int,
        **options: Any,
    ) -> None:
        super().__init__(manager, **options)
        self._max_msg_queue_size, self._msg_queue_resume_size = MOST_QUEUED, 0
        self._patience = patience
        self._in_flight = in_flight
        self._witness = witness
        self._monotonic = monotonic
        self._headers_late: asyncio.TimerHandle | None = None
        self._answer_late: asyncio.TimerHandle | None = None
        self._unread_since = 0
        self._last = monotonic()
        self.arrival = 0
        self.busy = False
        self.expires = expires
        self.held = 0

    # --- what the transport tells ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast(asyncio.Transport, transport).set_write_buffer_limits(UNREAD)
        if transport.get_extra_info("sslcontext") is not None:  # only TLS keeps what it has read
            cast(_Buffering, transport).set_read_buffer_limits(UNPARSED)
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        if data and not self.arrival:  # aiohttp passes empty data to go on parsing
            self.arrival = self._monotonic()
            if _END_OF_HEADERS not in data or data[0] in _LINE_ENDS:  # else they came in one piece, as they always do
                self._headers_late = self._loop.call_later(self._patience.headers, self.end, Closed.HEADER_TIMEOUT)
        super().data_received(data)
        if self._messages and self.busy:  # the API server never sends one call behind the other
            self._pause_reading_for_buffer()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._pause_reading_for_buffer()
        if self._answer_late is None:
            self._answer_late = self._loop.call_later(self._patience.answer, self.end, Closed.ANSWER_TIMEOUT)
            self._unread_since = self._monotonic()

    def resume_writing(self) -> None:
        super().resume_writing()
        if not self.held:
            self._go_on()

    def connection_lost(self, exc: BaseException | None) -> None:
        self._headers_came()
        self._in_flight.release(self)
        self._forget_answer()
        super().connection_lost(exc)

    # --- what becomes of calls ---

    def call_came(self) -> None:
        """A call is being answered."""
        self.busy = True
        if self._headers_late is not None:
            self._headers_came()

    def expect_next(self) -> None:
        """The call at hand was read to its end: what comes next is another one."""
        if self.arrival:
            self._last, self.arrival = self.arrival, 0
        self.busy = False

    @property
    def idle(self) -> bool:
        """True when nobody waits for anything."""
        return not (self.busy or self.arrival or self._messages or self.writing_paused)

    @property
    def since(self) -> int:
        """When the call at hand began, or else the one before it, or when the connection was opened. Nanoseconds."""
        return self.arrival or self._last

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Refuse what is no HTTP, without a line in the log for each: anybody can send it."""
        if not isinstance(exc, HttpProcessingError):
            return super().handle_error(request, status, exc, message)
        self._witness.refused(HTTPStatus.BAD_REQUEST)
        response = text(HTTPStatus.BAD_REQUEST, b"this is no HTTP that can be answered\n")
        response.force_close()
        return response

    # --- answers that are not read ---

    def hold(self, size: int) -> None:
        """Count an answer of so many bytes until it is taken. It may be dropped, and the connection with it."""
        self._in_flight.hold(self, size)

    def taken(self) -> None:
        """The answer is with the transport, or came to nothing."""
        self._in_flight.release(self)
        if not self.writing_paused:
            self._go_on()

    @property
    def claim(self) -> Claim:
        """Its client has some time to read an answer, however little room there is."""
        slow = self._unread_since and self._monotonic() - self._unread_since > SLOW
        return Claim.SPENT if slow else Claim.FIRM

    # --- the end ---

    def let_go(self) -> None:
        """Drop an answer that is not read, and the connection with it."""
        self.end(Closed.BYTES_IN_FLIGHT)

    def end(self, why: Closed) -> None:
        """Close at once."""
        if self.transport is not None:
            self._witness.closed(why)
            self.transport.abort()

    def _go_on(self) -> None:
        """Read the next call: the answer to this one is taken."""
        self._forget_answer()
        if self._buffer_paused:
            self._resume_reading_if_drained()

    def _headers_came(self) -> None:
        if self._headers_late is not None:
            self._headers_late.cancel()
            self._headers_late = None

    def _forget_answer(self) -> None:
        if self._answer_late is not None:
            self._answer_late.cancel()
            self._answer_late = None
            self._unread_since = 0


def arrival(request: web.BaseRequest, now: int) -> int:
    """When the first byte of a call came in; ``now`` for one whose bytes came in behind the one before it."""
    connection = request.protocol
    return (isinstance(connection, Connection) and connection.arrival) or now


def text(status: int, body: bytes) -> web.Response:
    """An answer to be read by people."""
    return web.Response(status=status, body=body, headers=_TEXT_HEADERS)
