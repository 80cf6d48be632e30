"""An answer that is too large to be left to the transport: it is handed over as its client reads it."""

from __future__ import annotations

from typing import Final, cast

from aiohttp import web

from admission.serving.connection import Connection

LARGE: Final = 64 * 1024
"""Bytes from which on an answer is written in pieces: more than all but the largest patches have."""

_PIECE: Final = 32 * 1024


class InPieces(web.Response):
    """A response of which the connection holds what is not read yet, so that it counts, and can be dropped.

    TLS and the transport below it would take all of it at once, and tell nobody. Once it is written it is gone:
    aiohttp keeps the last response of a connection for as long as that is idle.
    """

    async def write_eof(self, data: bytes = b"") -> None:
        """Write the body."""
        request, body = self._req, self.body
        writer = self._payload_writer
        if request is None or writer is None or not isinstance(body, bytes):
            raise TypeError("a body of bytes, once it is prepared")
        connection = cast("Connection", request.protocol)
        connection.hold(len(body))
        try:
            for at in range(0, len(body), _PIECE):
                await writer.write(memoryview(body)[at : at + _PIECE])
                await writer.drain()
        finally:
            connection.taken()
            self.body = None
        await web.StreamResponse.write_eof(self)
