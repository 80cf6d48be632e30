"""The body of a call: read whole, and neither too long nor for too long. What there is no room for is read to its end,
so that its answer arrives, and not kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from aiohttp import hdrs, web

from admission.engine.instant import SECOND
from admission.review.ends import PREFIX_SIZE, TAIL_SIZE, Ends
from admission.serving.connection import arrival
from admission.serving.inflight import Claim, InFlight

_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
_SMALL: Final = 4096
"""Pieces below this are put together as they come: a list of single bytes takes forty times their size."""


class BodyError(Exception):
    """A body that cannot be had, and the answer to it."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class Bodies:
    """Reads bodies of at most ``most`` bytes.

    They may take ``timeout`` seconds from the first byte of their call, or as long as its caller waits for an answer.
    """

    def __init__(self, most: int, timeout: float, in_flight: InFlight, monotonic: Callable[[], int]) -> None:
        self._most = most
        self._timeout = int(timeout * SECOND)
        self._in_flight = in_flight
        self._monotonic = monotonic

    async def read(self, request: web.BaseRequest, patience: int | None) -> bytes | Ends:
        """The body of a call, or its ends if there was no room for it. ``patience`` is the caller's, in nanoseconds.

        Raises:
            BodyError: it is too long, came too slowly, or did not come whole.
        """
        content = request.content
        try:
            if not content.is_eof():
                async with asyncio.timeout(self._rest_of(patience, request)):
                    return await self._rest(request)
            body = await content.readany()  # it came with its headers, as small ones do
        except TimeoutError:
            raise BodyError(HTTPStatus.REQUEST_TIMEOUT, "the body did not arrive in time") from None
        except (web.RequestPayloadError, ConnectionError, RuntimeError):  # the last when the caller is gone
            raise BodyError(HTTPStatus.BAD_REQUEST, "the body did not arrive whole") from None
        if len(body) > self._most:
            raise self._too_long()
        return body

    def _rest_of(self, patience: int | None, request: web.BaseRequest) -> float:
        """Seconds that are left for a body."""
        now = self._monotonic()
        allowed = self._timeout if patience is None else min(self._timeout, patience)
        return max(0, arrival(request, now) + allowed - now) / SECOND

    async def _rest(self, request: web.BaseRequest) -> bytes | Ends:
        if (request.content_length or 0) > self._most:
            raise self._too_long()
        if request.headers.get(hdrs.EXPECT, "").lower() == "100-continue":
            await request.writer.write(_CONTINUE)
            request.writer.output_size = 0
        arriving = Arriving()
        try:
            while True:  # pieces as they came in: put together here they would be copied once more than need be
                piece, ends_chunk = await request.content.readchunk()
                if piece:
                    self._keep(arriving, piece)
                elif not ends_chunk:  # the end of the body; a chunk of it ends with nothing, too
                    return arriving.body()
        finally:
            self._in_flight.release(arriving)

    def _keep(self, arriving: Arriving, piece: bytes) -> None:
        arriving.add(piece)
        if arriving.size > self._most:
            raise self._too_long()
        if not arriving.dropped:
            self._in_flight.hold(arriving, len(piece))

    def _too_long(self) -> BodyError:
        return BodyError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the body is longer than {self._most} bytes")


class Arriving:
    """A body on its way. ``size`` is what has come, ``held`` what is kept; once ``dropped``, that is only its ends."""

    __slots__ = ("_head", "_pieces", "dropped", "held", "size")

    claim: Final = Claim.LOOSE

    def __init__(self) -> None:
        self._pieces: list[bytes | bytearray] = []
        self._head = b""
        self.dropped = False
        self.size = 0
        self.held = 0

    def add(self, piece: bytes) -> None:
        """Take the next bytes."""
        self.size += len(piece)
        if self.dropped:
            self._shorten(piece)
        elif len(piece) >= _SMALL:
            self._pieces.append(piece)
        elif self._pieces and isinstance(self._pieces[-1], bytearray):
            self._pieces[-1] += piece
        else:
            self._pieces.append(bytearray(piece))

    def let_go(self) -> None:
        """Keep the two ends, and of what is still to come as well."""
        self.dropped = True
        pieces, self._pieces = self._pieces, [b""]
        for piece in pieces:
            self._shorten(piece)

    def body(self) -> bytes | Ends:
        """What has come."""
        whole = b"".join(self._pieces)
        return Ends(self._head, whole) if self.dropped else whole

    def _shorten(self, piece: bytes | bytearray) -> None:
        missing = PREFIX_SIZE - len(self._head)
        if missing > 0:
            self._head += piece[:missing]
        self._pieces[0] = bytes((self._pieces[0] + piece[-TAIL_SIZE:])[-TAIL_SIZE:])
