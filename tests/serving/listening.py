"""The real HTTP server over real TLS on loopback, with an engine and an observer of the test's choice."""

from __future__ import annotations

import asyncio
import io
import socket
import ssl
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, cast

import aiohttp

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision, Op, Outcome
from admission.engine.policy import PolicySet
from admission.handler import Answer, Handler
from admission.serving.connection import Closed, Connection
from admission.serving.connections import Connections
from admission.serving.developmentpair import development_pair
from admission.serving.lifecycle import Lifecycle
from admission.serving.listener import Listener
from admission.serving.reviews import Reviews
from admission.serving.server import ANY_DESCRIPTOR
from admission.serving.tls import Pair, secured
from admission.settings import Settings

HOST: Final = "127.0.0.1"
TRIMMED: Final = Decision(Outcome.TRIMMED, patch=(Op("remove", "/status/x"),))
MEBIBYTE: Final = 1 << 20


async def until(condition: Callable[[], object]) -> None:
    """Let the loop turn until a condition holds."""
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110  # it lies behind a socket, where no event can be set
            await asyncio.sleep(0)


def pair_in(directory: Path) -> Pair:
    """A development pair that is valid now."""
    return development_pair(directory, HOST, datetime.now(UTC))


def trusting(pair: Pair) -> ssl.SSLContext:
    """A client's context that trusts the pair's CA and checks names."""
    return ssl.create_default_context(cafile=pair.ca)


def trims(policies: PolicySet, attributes: Attributes, now: int) -> Decision:
    """An engine that trims everything."""
    return TRIMMED


@dataclass
class Recorder:
    """An observer that remembers."""

    answers: list[Answer] = field(default_factory=list)
    durations: list[int] = field(default_factory=list)
    refusals: list[int] = field(default_factory=list)
    closings: list[Closed] = field(default_factory=list)
    failures: list[int | None] = field(default_factory=list)

    def observe(self, answer: Answer, duration: int) -> None:
        self.answers.append(answer)
        self.durations.append(duration)

    def refused(self, status: int) -> None:
        self.refusals.append(status)

    def closed(self, why: Closed, detail: str = "") -> None:
        self.closings.append(why)

    def not_accepted(self, error: OSError) -> None:
        self.failures.append(error.errno)

    async def heard(self, calls: int = 1) -> None:
        """Wait until it was told about so many calls."""
        await until(lambda: len(self.answers) + len(self.refusals) >= calls)


@dataclass
class Listening:
    """A server that listens, and a client for it."""

    port: int
    session: aiohttp.ClientSession
    context: ssl.SSLContext
    lifecycle: Lifecycle
    recorder: Recorder
    reviews: Reviews
    connections: Connections

    @property
    def open(self) -> list[Connection]:
        """The connections that are open, but for those that still shake hands."""
        return cast("list[Connection]", self.connections.connections)

    @property
    def url(self) -> str:
        return f"https://{HOST}:{self.port}/mutate"

    async def post(
        self, body: Any, *, query: str = "?timeout=10s", **headers: str
    ) -> tuple[aiohttp.ClientResponse, bytes]:
        """Send a body as the API server does; returns the response and its body."""
        sent = {"Content-Type": "application/json", "User-Agent": "kube-apiserver-admission"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        data = io.BytesIO(body) if isinstance(body, bytes) else body
        async with self.session.post(self.url + query, data=data, headers=sent) as response:
            return response, await response.read()

    async def raw(self, *pieces: bytes) -> bytes:
        """Send bytes over TLS as they are; returns everything that comes back until the connection ends."""
        async with self.connection() as (reader, writer):
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
            return await reader.read()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        """A connection of one's own."""
        reader, writer = await asyncio.open_connection(HOST, self.port, ssl=self.context)
        try:
            yield reader, writer
        finally:
            writer.close()
            with suppress(ConnectionError, ssl.SSLError):  # the server was first
                await writer.wait_closed()

    @asynccontextmanager
    async def deaf(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        """A connection that takes little from the system, and less from TLS."""
        own = socket.socket()
        own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        own.setblocking(False)
        await asyncio.get_running_loop().sock_connect(own, (HOST, self.port))
        reader, writer = await asyncio.open_connection(sock=own, ssl=self.context, server_hostname=HOST, limit=1 << 12)
        try:
            yield reader, writer
        finally:
            writer.transport.abort()


SETTINGS: Final = Settings.of({"policies": ["none"], "dev": True, "keep_alive": "120s"}, {})


@asynccontextmanager
async def listening(
    pair: Pair,
    evaluate: Callable[[PolicySet, Attributes, int], Decision] = trims,
    *,
    handler: Handler | None = None,
    monotonic: Callable[[], int] = time.monotonic_ns,
    **changes: Any,
) -> AsyncIterator[Listening]:
    """Serve reviews until the block ends. ``changes`` are fields of the settings, as typed values."""
    lifecycle, recorder, settings = Lifecycle(ready=True), Recorder(), replace(SETTINGS, **changes)
    handler = handler or Handler(PolicySet.of([]), evaluate=evaluate)
    reviews = Reviews(handler, recorder, lifecycle, settings, monotonic=monotonic)
    connections = reviews.connections()
    listener = Listener(
        connections,
        recorder,
        most=settings.max_connections,
        descriptors=ANY_DESCRIPTOR,
        monotonic=monotonic,
        ssl=secured(pair, datetime.now(UTC)).context,
    )
    (bound,) = await listener.listen(HOST, 0, backlog=128)
    trusted = trusting(pair)
    try:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=trusted)) as session:
            port = bound.getsockname()[1]
            yield Listening(port, session, trusted, lifecycle, recorder, reviews, connections)
    finally:
        listener.close()
        connections.pre_shutdown()
        await connections.shutdown(timeout=1.0)
