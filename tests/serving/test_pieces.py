"""Large answers are held while their clients do not read them, and dropped when there is no room or no time."""

from __future__ import annotations

import asyncio
import gc
import json
from contextlib import suppress

import pytest

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision, Op, Outcome
from admission.engine.policy import PolicySet
from admission.serving.connection import SLOW, Closed
from admission.serving.pieces import InPieces
from admission.serving.tls import Pair
from tests.review_sample import review
from tests.serving.calls import answered, framed
from tests.serving.clock import Clock
from tests.serving.listening import MEBIBYTE, listening, until
from tests.serving.target import reply

LARGE = json.dumps("x" * 9 * MEBIBYTE).encode()  # more than the system takes: answers are as large once more by a third


def grows(policies: PolicySet, attributes: Attributes, now: int) -> Decision:
    """An engine whose patches are large."""
    return Decision(Outcome.TRIMMED, patch=(Op("replace", "/status/x", LARGE),))


async def test_a_large_answer_arrives_whole(pair: Pair) -> None:
    async with listening(pair, grows) as server:
        for _ in range(2):
            response, body = await server.post(review())
            assert response.status == 200
            assert len(json.loads(body)["response"]["patch"]) > 12 * MEBIBYTE
        assert server.reviews.bytes.bytes == 0


async def test_an_answer_counts_until_it_is_taken(pair: Pair) -> None:
    async with listening(pair, grows) as server, server.deaf() as (reader, writer):
        writer.write(framed(review()) * 2)
        await until(lambda: server.reviews.bytes.bytes > 12 * MEBIBYTE)
        assert len(server.recorder.answers) == 1  # the second call waits until the first is taken
        first, second = [await reply(reader) for _ in range(2)]
        assert len(first.body) == len(second.body) > 12 * MEBIBYTE
        await until(lambda: server.reviews.bytes.bytes == 0)


async def test_an_answer_that_nobody_reads_for_long_makes_room(pair: Pair) -> None:
    clock = Clock()
    async with (
        listening(pair, grows, monotonic=clock, max_body=MEBIBYTE, max_in_flight_bytes=20 * MEBIBYTE) as server,
        server.deaf() as (reader, first),
        server.deaf() as (_, second),
    ):
        first.write(framed(review()))
        await until(lambda: server.reviews.bytes.bytes > 12 * MEBIBYTE)
        clock.now += SLOW + 1
        second.write(framed(review()))
        await until(lambda: server.recorder.closings == [Closed.BYTES_IN_FLIGHT])
        with suppress(ConnectionError), pytest.raises(asyncio.IncompleteReadError):
            await reply(reader)
        assert 12 * MEBIBYTE < server.reviews.bytes.bytes < 20 * MEBIBYTE
    await until(lambda: server.reviews.bytes.bytes == 0)


async def test_an_answer_is_not_held_for_ever(pair: Pair) -> None:
    async with listening(pair, grows, body_timeout=0.2) as server, server.deaf() as (_, writer):
        writer.write(framed(review()))
        await until(lambda: server.recorder.closings == [Closed.ANSWER_TIMEOUT])
        await until(lambda: server.reviews.bytes.bytes == 0)
        response, _ = await server.post(review())
    assert response.status == 200


async def test_a_client_that_is_gone_gives_back_what_was_held(pair: Pair) -> None:
    async with listening(pair, grows) as server:
        async with server.deaf() as (_, writer):
            writer.write(framed(review()))
            await until(lambda: server.reviews.bytes.bytes > 12 * MEBIBYTE)
        await until(lambda: server.reviews.bytes.bytes == 0 and not server.open)
    assert server.recorder.closings == []


async def test_while_answers_wait_a_review_is_allowed_unevaluated_and_nobody_is_cut_off(pair: Pair) -> None:
    async with (
        listening(pair, grows, monotonic=Clock(), max_body=MEBIBYTE, max_in_flight_bytes=20 * MEBIBYTE) as server,
        server.deaf() as (first, one),
        server.deaf() as (second, other),
    ):
        for writer in (one, other):
            writer.write(framed(review()))
        await until(lambda: server.reviews.bytes.bytes > 24 * MEBIBYTE)
        _, body = await server.post(review())
        response = json.loads(body)["response"]
        assert (response["allowed"], "patch" in response) == (True, False)
        for reader in (first, second):
            assert len((await reply(reader)).body) > 12 * MEBIBYTE
        await until(lambda: server.reviews.bytes.bytes == 0)
        _, body = await server.post(review())
        assert "patch" in json.loads(body)["response"]
        await until(lambda: server.reviews.bytes.bytes == 0)
    assert server.recorder.closings == []


async def test_an_answer_that_is_taken_is_not_kept(pair: Pair) -> None:
    async with listening(pair, grows) as server, server.connection() as (reader, writer):
        writer.write(framed(review()))
        await answered(reader)
        await until(lambda: server.reviews.bytes.bytes == 0)
        assert not [each for each in gc.get_objects() if isinstance(each, InPieces) and each.body is not None]
