"""What a Service does: each new connection goes to the next replica that takes it, and bytes go through as they are."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from itertools import count

from tests.controlplane.loopback import HOST


@dataclass(slots=True)
class Balancer:
    """Listens at ``port``; ``backends`` are the ports of replicas, which may change."""

    port: int
    backends: list[int] = field(default_factory=list)
    connections: int = 0
    _turn: count[int] = field(default_factory=count)

    @property
    def url(self) -> str:
        """Where to call."""
        return f"https://{HOST}:{self.port}"

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry one connection to its end."""
        self.connections += 1
        with contextlib.suppress(OSError):
            backend = self.backends[next(self._turn) % len(self.backends)]
            back_reader, back_writer = await asyncio.open_connection(HOST, backend)
            await asyncio.gather(carry(reader, back_writer), carry(back_reader, writer))
        writer.close()


async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Carry bytes one way until their end."""
    with contextlib.suppress(OSError):
        while part := await reader.read(65536):
            writer.write(part)
            await writer.drain()
    writer.close()


@contextlib.asynccontextmanager
async def balancer() -> AsyncIterator[Balancer]:
    """A balancer without replicas yet."""
    made = Balancer(0)
    server = await asyncio.start_server(made.connected, HOST, 0)
    made.port = server.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        server.close()
