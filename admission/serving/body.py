"""The body of a call: read whole, and neither too long nor for too long."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Final

from aiohttp import hdrs, web

BODY_TIMEOUT: Final = 30.0
"""Seconds for a body to arrive: no webhook's timeout is longer."""

_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"


class BodyError(Exception):
    """A body that cannot be had, and the answer to it."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class Bodies:
    """Reads bodies of at most ``most`` bytes that arrive within ``timeout`` seconds."""

    def __init__(self, most: int, timeout: float) -> None:
        self._most = most
        self._timeout = timeout

    async def read(self, request: web.BaseRequest) -> bytes:
        """The body of a call.

        Raises:
            BodyError: it is too long, came too slowly, or did not come whole.
        """
        content = request.content
        try:
            if content.is_eof():  # it came with its headers, as small ones do
                body = await content.readany()
            else:
                body = await self._rest(request)
        except TimeoutError:
            raise BodyError(HTTPStatus.REQUEST_TIMEOUT, "the body did not arrive in time") from None
        except (
            web.RequestPayloadError,
            ConnectionError,
            RuntimeError,
        ):  # aiohttp says the last when the caller is gone
            raise BodyError(HTTPStatus.BAD_REQUEST, "the body did not arrive whole") from None
        if len(body) > self._most:
            raise self._too_long()
        return body

    async def _rest(self, request: web.BaseRequest) -> bytes:
        if (request.content_length or 0) > self._most:
            raise self._too_long()
        if request.headers.get(hdrs.EXPECT, "").lower() == "100-continue":
            await request.writer.write(_CONTINUE)
            request.writer.output_size = 0
        pieces: list[bytes] = []
        size = 0
        async with asyncio.timeout(self._timeout):
            while piece := await request.content.readany():
                pieces.append(piece)
                size += len(piece)
                if size > self._most:
                    raise self._too_long()
        return b"".join(pieces)

    def _too_long(self) -> BodyError:
        return BodyError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the body is longer than {self._most} bytes")
