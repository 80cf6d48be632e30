"""``POST /mutate`` and ``/validate`` over HTTP/1.1: which calls are read, refused, or come too late to be judged.

A plain aiohttp server without router and middlewares, since every microsecond here is paid by every status write of
a cluster. The engine runs in the event loop: it is faster than a change of threads.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, Protocol, cast

from aiohttp import hdrs, web
from multidict import CIMultiDict

from admission.engine.instant import SECOND
from admission.handler import Answer, Handler, Phase, Shed
from admission.review.ends import Ends
from admission.serving.body import Bodies, BodyError
from admission.serving.connection import Connection, Patience, Witness, arrival, text
from admission.serving.connections import Connections, Terms
from admission.serving.inflight import InFlight
from admission.serving.lifecycle import Lifecycle
from admission.serving.pieces import LARGE, InPieces
from admission.serving.target import JSON, Target, refusal, target_of
from admission.settings import Settings

SHED_AFTER: Final = 0.7
"""Share of the caller's timeout after which an answer would hardly arrive in time."""

TURN: Final = SECOND // 20
"""Nanoseconds that reviews are evaluated for before whatever else is there gets its turn: probes, which the kubelet
gives a second, handshakes, and bodies that are on their way. Hundreds of small reviews, or ten large ones: batches that
are broken up more often, as when the processor is taken away for some milliseconds, cost more for each review."""

_JSON_HEADERS: Final = CIMultiDict({hdrs.CONTENT_TYPE: JSON, hdrs.SERVER: "statuscap"})


class Observer(Witness, Protocol):
    """Who is told about answers, after they are on their way, and about calls that came to nothing."""

    def observe(self, answer: Answer, duration: int) -> None:
        """Take note of an answer. ``duration`` is nanoseconds."""
        ...


class Reviews:
    """Answers calls with the handler's answers.

    ``monotonic`` tells nanoseconds of a clock that never jumps; ``in_flight`` is the number of calls being answered,
    ``bytes`` what is held for them.
    """

    def __init__(
        self,
        handler: Handler,
        observer: Observer,
        lifecycle: Lifecycle,
        settings: Settings,
        *,
        monotonic: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._handler = handler
        self._observer = observer
        self._lifecycle = lifecycle
        self._settings = settings
        self._monotonic = monotonic
        self.bytes = InFlight(settings.max_in_flight_bytes)
        self._bodies = Bodies(settings.max_body, settings.body_timeout, self.bytes, monotonic)
        self._waiting: deque[_Waiting] = deque()
        self._unobserved: list[tuple[Answer, int]] = []
        self.in_flight = 0
        self._finished: asyncio.Event | None = None

    def connections(self) -> Connections:
        """The protocol factory to listen with."""
        settings = self._settings
        terms = Terms(
            keep_alive=settings.keep_alive,
            patience=Patience(settings.header_timeout, settings.body_timeout),
            age=settings.max_connection_age,
        )
        return Connections(self.answer, terms, self.bytes, self._observer, monotonic=self._monotonic)

    async def answer(self, request: web.BaseRequest) -> web.Response:
        """Answer one call, whatever it is."""
        connection = cast("Connection", request.protocol)
        connection.call_came()
        self.in_flight += 1
        try:
            response = await self._answer(request)
        finally:
            self.in_flight -= 1
            if self._finished is not None and not self.in_flight:
                self._finished.set()
        if self._lifecycle.draining or not request.content.is_eof() or connection.arrival > connection.expires:
            response.force_close()
        else:
            connection.expect_next()
        return response

    async def finished(self) -> None:
        """Wait until no call is being answered."""
        if self.in_flight:
            self._finished = asyncio.Event()
            await self._finished.wait()

    async def _answer(self, request: web.BaseRequest) -> web.Response:
        target = target_of(request.raw_path)
        refused = refusal(target, request)
        if refused is not None:
            return self._refused(*refused)
        try:
            body = await self._bodies.read(request, target.timeout)
        except BodyError as error:
            return self._refused(error.status, error.message)
        if not isinstance(body, Ends) and not self.bytes.admit(len(body)):
            body = Ends.of(body)
        if isinstance(body, Ends):
            phase = target.phase or Phase.MUTATING
            return self._answered(self._handler.shed(body, Shed.BYTES_IN_FLIGHT, phase), 0)
        size = len(body)
        waiting = _Waiting(request, body, target, asyncio.get_running_loop().create_future())
        del body  # it goes as soon as it is reviewed, while the others at hand still wait for that
        try:
            return await self._queued(waiting)
        finally:
            self.bytes.bytes -= size

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
        waiting, end = self._waiting, self._monotonic() + TURN
        while waiting:
            one = waiting.popleft()
            if one.response.done():
                continue  # the caller has hung up
            body, one.body = one.body, b""
            try:
                one.response.set_result(self._reviewed(one.request, body, one.target))
            except Exception as error:  # never known to happen, and never to leave the others waiting
                one.response.set_exception(error)
            if waiting and self._monotonic() > end:
                asyncio.get_running_loop().call_soon(self._review_waiting)
                return

    def _reviewed(self, request: web.BaseRequest, body: bytes, target: Target) -> web.Response:
        started, timeout, phase = self._monotonic(), target.timeout, target.phase or Phase.MUTATING
        late = timeout is not None and started - arrival(request, started) > timeout * SHED_AFTER
        answer = self._handler.shed(body, phase=phase) if late else self._handler.answer(body, phase)
        return self._answered(answer, self._monotonic() - started)

    def _answered(self, answer: Answer, duration: int) -> web.Response:
        self._observe_later(answer, duration)
        if answer.status == HTTPStatus.OK:
            made = web.Response if len(answer.body) < LARGE else InPieces
            return made(body=answer.body, headers=_JSON_HEADERS)
        return text(answer.status, answer.body)

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
        response = text(status, f"{message}\n".encode())
        if status is HTTPStatus.METHOD_NOT_ALLOWED:
            response.headers[hdrs.ALLOW] = hdrs.METH_POST
        return response


@dataclass(slots=True)
class _Waiting:
    """A body that is to be reviewed."""

    request: web.BaseRequest
    body: bytes
    target: Target
    response: asyncio.Future[web.Response]
