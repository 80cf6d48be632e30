"""Bodies are read whole, in any form, and neither too long nor for too long."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from admission.serving.tls import Pair
from tests.review_sample import UID, custom_resource, review
from tests.serving.calls import HEAD, uid_of
from tests.serving.listening import MEBIBYTE, listening, until


def large(mebibytes: int) -> bytes:
    return review(object=custom_resource() | {"status": {"output": "x" * (mebibytes * MEBIBYTE)}})


async def test_answers_a_review_of_many_megabytes(pair: Pair) -> None:
    async with listening(pair) as server:
        response, text = await server.post(large(20))
    assert (response.status, uid_of(text)) == (200, UID)


@pytest.mark.parametrize("chunked", [False, True], ids=["with a length", "in chunks"])
async def test_refuses_a_body_that_is_too_long(pair: Pair, chunked: bool) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(3):
            yield b" " * MEBIBYTE

    async with listening(pair, max_body=MEBIBYTE) as server:
        response, text = await server.post(pieces() if chunked else b" " * 3 * MEBIBYTE)
        after, _ = await server.post(review())
    assert response.status == 413
    assert text == b"the body is longer than 1048576 bytes\n"
    assert response.headers["Connection"] == "close"
    assert after.status == 200


async def test_a_small_body_is_measured_too(pair: Pair) -> None:
    async with listening(pair, max_body=100) as server:
        response, _ = await server.post(review())
    assert response.status == 413


async def test_a_body_in_chunks_is_put_together(pair: Pair) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        body = review()
        for at in range(0, len(body), 100):
            yield body[at : at + 100]

    async with listening(pair) as server:
        response, text = await server.post(pieces())
    assert (response.status, uid_of(text)) == (200, UID)


async def test_a_caller_that_asks_first_is_told_to_go_on(pair: Pair) -> None:
    async with listening(pair) as server, server.connection() as (reader, writer):
        body = review()
        writer.write(HEAD + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body))
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(body)
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 OK")


async def test_a_body_that_does_not_come_is_not_waited_for(pair: Pair) -> None:
    async with listening(pair, body_timeout=0.05) as server:
        answer = await server.raw(HEAD + b"Content-Length: 100\r\n\r\n{")
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"Connection: close" in answer


async def test_a_broken_chunk_is_refused(pair: Pair) -> None:
    async with listening(pair) as server:
        answer = await server.raw(HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nZZ\r\n")
    assert b" 400 " in answer.partition(b"\r\n")[0]


async def test_a_caller_that_hangs_up_leaves_nothing_behind(pair: Pair) -> None:
    async with listening(pair) as server:
        async with server.connection() as (_, writer):
            writer.write(HEAD + b"Content-Length: 100000\r\n\r\n{")
            await writer.drain()
            await until(lambda: server.reviews.in_flight)
        await asyncio.wait_for(server.reviews.finished(), 5)
        response, _ = await server.post(review())
    assert response.status == 200
