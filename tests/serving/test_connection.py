"""A connection ends when the headers of a call never do, and not while its client is idle."""

import asyncio
from contextlib import suppress

import pytest

from admission.serving.tls import Pair
from tests.review_sample import review
from tests.serving.calls import HEAD, answered, framed
from tests.serving.listening import listening

PIECES = pytest.mark.parametrize(
    "pieces",
    [
        pytest.param([HEAD], id="a header without its end"),
        pytest.param([b"P"], id="one byte"),
        pytest.param([b"\r\n\r\n", HEAD], id="empty lines before it"),
        pytest.param([framed(review()), HEAD], id="after an answer"),
    ],
)


@PIECES
async def test_a_header_that_never_ends_ends_its_connection(pair: Pair, pieces: list[bytes]) -> None:
    async with listening(pair, header_timeout=0.1) as server, server.connection() as (reader, writer):
        for piece in pieces:
            writer.write(piece)
            if piece != HEAD and len(piece) > len(HEAD):
                await answered(reader)
        async with asyncio.timeout(10):
            with suppress(ConnectionError):
                assert await reader.read() == b""


async def test_who_is_idle_or_slow_with_a_body_is_waited_for(pair: Pair) -> None:
    body = review()
    async with (
        listening(pair, header_timeout=0.1) as server,
        server.connection() as idle,
        server.connection() as slow,
        server.connection() as again,
        server.connection() as late,
    ):
        for piece in (HEAD[:9], HEAD[9:] + b"Content-Length: %d\r\n" % len(body), b"\r\n"):
            slow[1].write(piece)
            await slow[1].drain()
        again[1].write(framed(body))
        await answered(again[0])
        late[1].write(HEAD)
        async with asyncio.timeout(10):
            with suppress(ConnectionError):
                await late[0].read()  # by now the time of all the others would be up, too
        slow[1].write(body)
        for _, writer in (idle, again):
            writer.write(framed(body))
        for reader, _ in (idle, slow, again):
            await answered(reader)
