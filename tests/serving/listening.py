"""The real HTTP server over real TLS on loopback, with an engine and an observer of the test's choice."""

from __future__ import annotations

import asyncio
import io
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import aiohttp

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision, Op, Outcome
from admission.engine.policy import PolicySet
from admission.handler import Answer, Handler
from admission.serving.lifecycle import Lifecycle
from admission.serving.reviews import Reviews
from admission.serving.tls import Pair, development_pair, server_context

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

    def observe(self, answer: Answer, duration: int) -> None:
        self.answers.append(answer)
        self.durations.append(duration)

    def refused(self, status: int) -> None:
        self.refusals.append(status)

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
async def listening(
    pair: Pair,
    evaluate: Callable[[PolicySet, Attributes, int], Decision] = trims,
    *,
    max_body: int = 32 * MEBIBYTE,
    handler: Handler | None = None,
    **options: Any,
) -> AsyncIterator[Listening]:
    """Serve reviews until the block ends."""
    lifecycle, recorder = Lifecycle(ready=True), Recorder()
    handler = handler or Handler(PolicySet.of([]), evaluate=evaluate)
    reviews = Reviews(handler, recorder, lifecycle, max_body=max_body, **options)
    protocols = reviews.server(keep_alive=120.0)
    context = server_context(pair, datetime.now(UTC))
    listener = await asyncio.get_running_loop().create_server(protocols, HOST, 0, ssl=context)
    port = listener.sockets[0].getsockname()[1]
    trusted = trusting(pair)
    try:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=trusted)) as session:
            yield Listening(port, session, trusted, lifecycle, recorder, reviews)
    finally:
        listener.close()
        protocols.pre_shutdown()
        await protocols.shutdown(timeout=1.0)
