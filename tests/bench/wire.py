"""One keep-alive connection to a subject: HTTP/1.1 over TLS 1.3, as little of it as a loader needs.

The loader must not be what limits a round, so requests are written and answers are read without a client library.
"""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path
from typing import Final, NamedTuple, cast

HEAD_END: Final = b"\r\n\r\n"
_LINE_END: Final = b"\r\n"


class Reply(NamedTuple):
    """Status and body of an answer."""

    status: int
    body: bytes


class Incoming:
    """The bytes of one answer as they come in, by ``Content-Length`` or in chunks (Go's servers send those)."""

    def __init__(self) -> None:
        self._received = bytearray()

    def feed(self, data: bytes) -> Reply | None:
        """Add bytes; the reply once it is complete. Raises ``ValueError`` for what is no answer to a POST."""
        self._received += data
        end = self._received.find(HEAD_END)
        if end < 0:
            return None
        status, headers = _head(bytes(self._received[:end]))
        start = end + len(HEAD_END)
        if headers.get(b"transfer-encoding") == b"chunked":
            body = _chunked(bytes(self._received[start:]))
        else:
            body = _counted(bytes(self._received[start:]), int(headers[b"content-length"]))
        if body is None:
            return None
        self._received.clear()
        return Reply(status, body)


def _head(head: bytes) -> tuple[int, dict[bytes, bytes]]:
    first, *lines = head.split(_LINE_END)
    headers = {}
    for line in lines:
        name, _, value = line.partition(b":")
        headers[name.lower()] = value.strip().lower()
    return int(first.split(b" ", 2)[1]), headers


def _counted(received: bytes, length: int) -> bytes | None:
    if len(received) > length:
        raise ValueError(f"{len(received) - length} bytes more than the Content-Length")
    return received if len(received) == length else None


def _chunked(received: bytes) -> bytes | None:
    body = b""
    while True:
        size, found, received = received.partition(_LINE_END)
        if not found:
            return None
        length = int(size.split(b";")[0], 16)
        if len(received) < length + len(_LINE_END):
            return None
        if length == 0:
            return body
        body, received = body + received[:length], received[length + len(_LINE_END) :]


class Connection(asyncio.Protocol):
    """Sends a request and waits for its answer, one after the other."""

    def __init__(self, host: str, path: str) -> None:
        self._head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: "
        self._incoming = Incoming()
        self._waiting: asyncio.Future[Reply] | None = None
        self._transport: asyncio.Transport | None = None
        self._lost = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's own class is none of asyncio's

    def data_received(self, data: bytes) -> None:
        try:
            reply = self._incoming.feed(data)
        except (ValueError, KeyError, IndexError) as error:
            self._fail(ConnectionError(f"an answer that cannot be read: {error!r}"))
            return
        if reply is not None and self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(reply)

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost.set()
        self._fail(exc or ConnectionError("the server has closed the connection"))

    def _fail(self, error: Exception) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(error)

    async def post(self, body: bytes) -> Reply:
        """The answer to one request. Raises ``ConnectionError`` (or what TLS raises) when there is none."""
        if self._transport is None or self._transport.is_closing():
            raise ConnectionError("the connection is closed")
        self._waiting = asyncio.get_running_loop().create_future()
        self._transport.writelines((f"{self._head}{len(body)}\r\n\r\n".encode(), body))
        return await self._waiting

    @property
    def cipher(self) -> str:
        """Protocol and cipher of the connection: ``TLSv1.3 TLS_AES_256_GCM_SHA384``."""
        assert self._transport is not None
        name, protocol, _ = self._transport.get_extra_info("cipher")
        return f"{protocol} {name}"

    async def close(self) -> None:
        """Close the connection; it is gone on return."""
        if self._transport is not None:
            self._transport.close()
            await self._lost.wait()


async def connect(host: str, port: int, path: str, context: ssl.SSLContext) -> Connection:
    """Open a connection."""
    loop = asyncio.get_running_loop()
    _, connection = await loop.create_connection(
        lambda: Connection(f"{host}:{port}", path), host, port, ssl=context, server_hostname=host
    )
    return connection


def tls_1_3(ca: Path) -> ssl.SSLContext:
    """A client's context that trusts ``ca`` and speaks nothing older than TLS 1.3."""
    context = ssl.create_default_context(cafile=str(ca))
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    return context
