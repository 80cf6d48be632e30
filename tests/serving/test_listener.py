"""Connections are accepted as long as that leaves descriptors for everything else."""

import asyncio
import resource
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from admission.serving.listener import SPARE_DESCRIPTORS, Listener, most_descriptors
from tests.serving.listening import HOST, until


class Greeting(asyncio.Protocol):
    """Says hello to every connection."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(b"hello\n")


@asynccontextmanager
async def listening(most: int) -> AsyncIterator[tuple[int, list[None]]]:
    """A listener on loopback: its port, and an entry for each connection that was refused."""
    refused: list[None] = []
    listener = Listener(Greeting, most, lambda: refused.append(None))
    (bound,) = await listener.listen(HOST, 0, backlog=8)
    try:
        yield bound.getsockname()[1], refused
    finally:
        listener.close()


async def test_hands_connections_to_protocols() -> None:
    async with listening(most=10_000) as (port, refused):
        for _ in range(3):
            reader, writer = await asyncio.open_connection(HOST, port)
            assert await reader.readline() == b"hello\n"
            writer.close()
    assert refused == []


async def test_closes_what_would_take_a_descriptor_too_many() -> None:
    async with listening(most=0) as (port, refused):
        for _ in range(3):
            reader, writer = await asyncio.open_connection(HOST, port)
            assert await reader.read() == b""
            writer.close()
        await until(lambda: len(refused) == 3)


async def test_accepts_no_more_once_it_is_closed() -> None:
    async with listening(most=10_000) as (port, _):
        pass
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(HOST, port)


async def test_an_address_that_is_taken_is_told() -> None:
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match=str(port)):
            await Listener(Greeting, 10_000, lambda: None).listen(HOST, port, backlog=8)


@pytest.mark.parametrize(
    ("limit", "most"),
    [(1024, 1024 - SPARE_DESCRIPTORS), (100, 50), (resource.RLIM_INFINITY, 2**31)],
    ids=["as usual", "too low", "none"],
)
def test_leaves_descriptors_for_others(monkeypatch: pytest.MonkeyPatch, limit: int, most: int) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (limit, limit))
    assert most_descriptors() == most
