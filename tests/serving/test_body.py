"""Bodies are read whole, in any form, and neither too long nor for too long."""

import asyncio
import json
import tracemalloc
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from admission.handler import Shed
from admission.review.ends import Ends
from admission.serving.body import Arriving
from admission.serving.tls import Pair
from tests.review_sample import UID, USER, custom_resource, review
from tests.serving.calls import HEAD, answered, framed, uid_of
from tests.serving.clock import SECOND, Clock
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


# --- no room ---


async def test_of_bodies_there_is_no_room_for_the_largest_is_allowed_unevaluated(pair: Pair) -> None:
    bodies = [large(mebibytes) for mebibytes in (2, 4, 3)]
    async with (
        listening(pair, max_body=5 * MEBIBYTE, max_in_flight_bytes=8 * MEBIBYTE) as server,
        AsyncExitStack() as connections,
    ):
        opened = [await connections.enter_async_context(server.connection()) for _ in bodies]
        for (_, writer), body in zip(opened, bodies, strict=True):
            writer.write(framed(body)[:-100])
            await writer.drain()
        await until(lambda: 5 * MEBIBYTE < server.reviews.bytes.bytes <= 6 * MEBIBYTE)
        response, text = await server.post(review())
        assert (response.status, "patch" in json.loads(text)["response"]) == (200, True)
        for (reader, writer), body in zip(opened, bodies, strict=True):
            writer.write(body[-100:])
            await answered(reader)
        await server.recorder.heard(4)
    assert [answer.shed for answer in server.recorder.answers] == [None, None, Shed.BYTES_IN_FLIGHT, None]
    shed = server.recorder.answers[2].attributes
    assert shed is not None
    assert (shed.uid, shed.resource, shed.name, shed.user) == (UID, "jobs", "train-mpi", USER)
    assert server.reviews.bytes.bytes == 0


async def test_what_nobody_can_be_answered_for_is_read_on_and_refused(pair: Pair) -> None:
    async with listening(pair, max_body=4 * MEBIBYTE, max_in_flight_bytes=MEBIBYTE) as server:
        response, _ = await server.post(b"x" * 3 * MEBIBYTE)
        after, _ = await server.post(review())
    assert (response.status, after.status) == (400, 200)
    assert server.reviews.bytes.bytes == 0


async def test_bytes_of_a_body_that_comes_to_nothing_are_given_back(pair: Pair) -> None:
    async with listening(pair, body_timeout=0.2, max_body=2 * MEBIBYTE) as server:
        refused, _ = await server.post(b" " * 3 * MEBIBYTE)
        late = await server.raw(HEAD + b"Content-Length: 100000\r\n\r\n" + b" " * 50_000)
        async with server.connection() as (_, writer):
            writer.write(HEAD + b"Content-Length: 100000\r\n\r\n" + b" " * 50_000)
            await until(lambda: server.reviews.bytes.bytes)
        await until(lambda: not server.reviews.bytes.bytes)
    assert (refused.status, late[:12]) == (413, b"HTTP/1.1 408")


async def test_a_body_is_not_waited_for_longer_than_its_caller_waits(pair: Pair) -> None:
    async with listening(pair) as server:
        head = HEAD.replace(b"/mutate", b"/mutate?timeout=100ms")
        answer = await server.raw(head + b"Content-Length: 100\r\n\r\n{")
    assert answer.startswith(b"HTTP/1.1 408 ")


async def test_the_time_for_a_body_counts_from_the_first_byte_of_its_call(pair: Pair) -> None:
    clock = Clock()
    async with listening(pair, monotonic=clock) as server, server.connection() as (reader, writer):
        writer.write(HEAD)
        await until(lambda: any(each.arrival for each in server.open))
        clock.now += 31 * SECOND
        writer.write(b"Content-Length: 100\r\n\r\n{")
        assert (await reader.read()).startswith(b"HTTP/1.1 408 ")


# --- on its way ---


@pytest.mark.parametrize("size", [1, 100, 5_000, 20_000], ids=lambda size: f"pieces of {size}")
@pytest.mark.parametrize("dropped_after", [None, 0, 3], ids=["kept", "dropped at once", "dropped on the way"])
def test_pieces_are_put_together(size: int, dropped_after: int | None) -> None:
    body, arriving = bytes(range(256)) * 100, Arriving()
    for number, at in enumerate(range(0, len(body), size)):
        if number == dropped_after:
            arriving.let_go()
        arriving.add(body[at : at + size])
    if dropped_after is not None and not arriving.dropped:
        arriving.let_go()
    assert arriving.body() == (body if dropped_after is None else Ends.of(body))
    assert arriving.size == len(body)


def test_a_body_in_single_bytes_takes_little_more_than_its_size() -> None:
    tracemalloc.start()
    try:
        arriving = Arriving()
        for _ in range(100_000):
            arriving.add(b"x")
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 200_000
