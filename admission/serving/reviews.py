"""``POST /mutate`` over HTTP/1.1: which calls are read, which are refused, and which there is no time for.

A plain aiohttp server without router and middlewares, since every microsecond here is paid by every status write of
a cluster. The engine runs in the event loop: it is faster than a change of threads.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from typing import Any, Final, Protocol
from urllib.parse import parse_qs

from aiohttp import hdrs, web
from multidict import CIMultiDict

from admission.engine.instant import parse_duration
from admission.handler import Answer, Handler
from admission.serving.lifecycle import Lifecycle

MUTATE: Final = "/mutate"
JSON: Final = "application/json"

SHED_AFTER: Final = 0.7
"""Share of the caller's timeout after which an answer would hardly arrive in time."""

BODY_TIMEOUT: Final = 30.0
"""Seconds for a body to arrive: no webhook's timeout is longer."""

HEADER_TIMEOUT: Final = 10.0
"""Seconds for the headers of a call to arrive, from their first byte: the API server sends its own at once, and who
has sent none of it yet is idle, which is what the keep-alive time is for."""

_LINGERING: Final = (
    2.0  # seconds that a refused body is read on, so that the refusal arrives before the connection ends
)
_END_OF_HEADERS: Final = b"\r\n\r\n"
_LINE_ENDS: Final = b"\r\n"
_READ_BUFFER: Final = 1 << 20  # a review of a large object is read in a few pieces
_JSON_HEADERS: Final = CIMultiDict({hdrs.CONTENT_TYPE: JSON, hdrs.SERVER: "statuscap"})
_TEXT_HEADERS: Final = CIMultiDict({hdrs.CONTENT_TYPE: "text/plain; charset=utf-8", hdrs.SERVER: "statuscap"})
_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"


class Observer(Protocol):
    """Who is told about answers, after they are on their way."""

    def observe(self, answer: Answer, duration: int) -> None:
        """Take note of an answer. ``duration`` is nanoseconds."""
        ...

    def refused(self, status: int) -> None:
        """Take note of a call that was refused with an HTTP status."""
        ...


class Reviews:
    """Answers calls with the handler's answers.

    ``monotonic`` tells nanoseconds of a clock that never jumps; ``in_flight`` is the number of calls being answered.
    """

    def __init__(
        self,
        handler: Handler,
        observer: Observer,
        lifecycle: Lifecycle,
        *,
        max_body: int,
        body_timeout: float = BODY_TIMEOUT,
        header_timeout: float = HEADER_TIMEOUT,
        monotonic: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._handler = handler
        self._observer = observer
        self._lifecycle = lifecycle
        self._max_body = max_body
        self._body_timeout = body_timeout
        self._header_timeout = header_timeout
        self._monotonic = monotonic
        self._waiting: list[_Waiting] = []
        self._unobserved: list[tuple[Answer, int]] = []
        self.in_flight = 0
        self._finished: asyncio.Event | None = None

    def server(self, keep_alive: float, **options: Any) -> web.Server:
        """The protocol factory to listen with. ``keep_alive`` is the seconds that an idle connection stays open."""
        return _Server(
            self.answer,
            monotonic=self._monotonic,
            header_timeout=self._header_timeout,
            keepalive_timeout=keep_alive,
            access_log=None,
            lingering_time=_LINGERING,
            read_bufsize=_READ_BUFFER,
            auto_decompress=False,
            **options,
        )

    async def answer(self, request: web.BaseRequest) -> web.Response:
        """Answer one call, whatever it is."""
        connection = request.protocol if isinstance(request.protocol, _Connection) else None
        if connection is not None:
            connection.headers_came()
        self.in_flight += 1
        try:
            response = await self._answer(request)
        finally:
            self.in_flight -= 1
            if self._finished is not None and not self.in_flight:
                self._finished.set()
        if self._lifecycle.draining or not request.content.is_eof():
            response.force_close()
        elif connection is not None:
            connection.expect_next()
        return response

    async def finished(self) -> None:
        """Wait until no call is being answered."""
        if self.in_flight:
            self._finished = asyncio.Event()
            await self._finished.wait()

    async def _answer(self, request: web.BaseRequest) -> web.Response:
        target = _target(request.raw_path)
        refusal = _refusal(target, request)
        if refusal is not None:
            return self._refused(*refusal)
        try:
            body = await self._body(request)
        except _BodyError as error:
            return self._refused(error.status, error.message)
        return await self._queued(_Waiting(request, body, target.timeout, asyncio.get_running_loop().create_future()))

    def _queued(self, waiting: _Waiting) -> asyncio.Future[web.Response]:
        """Have a body reviewed together with the others that are there by now.

        The engine then runs through them without the HTTP and TLS code in between, which would push it out of the
        processor's caches: a review that needs no trimming costs a tenth less under load.
        """
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self._review_waiting)
        self._waiting.append(waiting)
        return waiting.response

    def _review_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            if one.response.done():
                continue  # the caller has hung up
            try:
                one.response.set_result(self._reviewed(one.request, one.body, one.timeout))
            except Exception as error:  # never known to happen, and never to leave the others waiting
                one.response.set_exception(error)

    def _reviewed(self, request: web.BaseRequest, body: bytes, timeout: int | None) -> web.Response:
        started = self._monotonic()
        late = timeout is not None and started - _arrival(request, started) > timeout * SHED_AFTER
        answer = self._handler.shed(body) if late else self._handler.mutate(body)
        duration = self._monotonic() - started
        self._observe_later(answer, duration)
        if answer.status == HTTPStatus.OK:
            return web.Response(body=answer.body, headers=_JSON_HEADERS)
        return _text(answer.status, answer.body)

    def _observe_later(self, answer: Answer, duration: int) -> None:
        """Have it observed when the answers at hand are on their way: together, which costs less than one by one."""
        if not self._unobserved:
            asyncio.get_running_loop().call_soon(self._observe)
        self._unobserved.append((answer, duration))

    def _observe(self) -> None:
        unobserved, self._unobserved = self._unobserved, []
        for answer, duration in unobserved:
            self._observer.observe(answer, duration)

    def _refused(self, status: HTTPStatus, message: str) -> web.Response:
        self._observer.refused(status)
        response = _text(status, f"{message}\n".encode())
        if status is HTTPStatus.METHOD_NOT_ALLOWED:
            response.headers[hdrs.ALLOW] = hdrs.METH_POST
        return response

    async def _body(self, request: web.BaseRequest) -> bytes:
        content = request.content
        try:
            if content.is_eof():  # it came with its headers, as small ones do
                body = await content.readany()
            else:
                body = await self._rest_of_body(request)
        except TimeoutError:
            raise _BodyError(HTTPStatus.REQUEST_TIMEOUT, "the body did not arrive in time") from None
        except (
            web.RequestPayloadError,
            ConnectionError,
            RuntimeError,
        ):  # aiohttp says the last when the caller is gone
            raise _BodyError(HTTPStatus.BAD_REQUEST, "the body did not arrive whole") from None
        if len(body) > self._max_body:
            raise self._too_long()
        return body

    async def _rest_of_body(self, request: web.BaseRequest) -> bytes:
        if (request.content_length or 0) > self._max_body:
            raise self._too_long()
        if request.headers.get(hdrs.EXPECT, "").lower() == "100-continue":
            await request.writer.write(_CONTINUE)
            request.writer.output_size = 0
        pieces: list[bytes] = []
        size = 0
        async with asyncio.timeout(self._body_timeout):
            while piece := await request.content.readany():
                pieces.append(piece)
                size += len(piece)
                if size > self._max_body:
                    raise self._too_long()
        return b"".join(pieces)

    def _too_long(self) -> _BodyError:
        return _BodyError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the body is longer than {self._max_body} bytes")


@dataclass(slots=True)
class _Waiting:
    """A body that is to be reviewed. ``timeout`` is the caller's, in nanoseconds, or None."""

    request: web.BaseRequest
    body: bytes
    timeout: int | None
    response: asyncio.Future[web.Response]


class _BodyError(Exception):
    """A body that cannot be had, and the answer to it."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


@dataclass(frozen=True, slots=True)
class _Target:
    """What a request line asks for. ``timeout`` is the caller's, in nanoseconds, or None."""

    known: bool
    timeout: int | None = None


@lru_cache(maxsize=256)  # the API server asks for one and the same target again and again
def _target(raw_path: str) -> _Target:
    path, _, query = raw_path.partition("?")
    if path != MUTATE:
        return _Target(known=False)
    timeouts = parse_qs(query).get("timeout", [""])
    return _Target(known=True, timeout=parse_duration(timeouts[-1]) or None)


def _refusal(target: _Target, request: web.BaseRequest) -> tuple[HTTPStatus, str] | None:
    if not target.known:
        return HTTPStatus.NOT_FOUND, f"there is nothing here; reviews are answered at {MUTATE}"
    if request.method != hdrs.METH_POST:
        return HTTPStatus.METHOD_NOT_ALLOWED, "send a review with POST"
    headers = request.headers
    if headers.get(hdrs.CONTENT_TYPE) != JSON and request.content_type != JSON:
        return HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"send a review as {JSON}"
    if headers.get(hdrs.CONTENT_ENCODING, "identity") != "identity":
        return HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "send a review uncompressed"
    return None


def _text(status: int, body: bytes) -> web.Response:
    return web.Response(status=status, body=body, headers=_TEXT_HEADERS)


# --- when a call arrived ---------------------------------------------------------------------------------------------


class _Connection(web.RequestHandler):
    """A connection that remembers when the first byte of a call came in: under overload, calls wait behind others.

    It ends when the headers of a call do not arrive in time.
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

    def _abort(self) -> None:
        if self.transport is not None:
            self.transport.abort()

    def expect_next(self) -> None:
        """The call at hand was read to its end: what comes next is another one."""
        self.arrival = 0


def _arrival(request: web.BaseRequest, now: int) -> int:
    """When the first byte of a call came in; now for one whose bytes came in behind the one before it."""
    connection = request.protocol
    return (isinstance(connection, _Connection) and connection.arrival) or now


class _Server(web.Server):
    """Makes such connections."""

    def __init__(self, handler: Any, *, monotonic: Callable[[], int], header_timeout: float, **options: Any) -> None:
        super().__init__(handler)
        self._monotonic = monotonic
        self._header_timeout = header_timeout
        self._options = options

    def __call__(self) -> web.RequestHandler:
        loop = asyncio.get_running_loop()
        return _Connection(self, self._monotonic, self._header_timeout, loop=loop, **self._options)
