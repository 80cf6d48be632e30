"""A connection ends when the headers of a call never do, and not while its client is idle."""

import asyncio
import re
import tomllib
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import cast

import aiohttp
import pytest
from aiohttp import web

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision, Op, Outcome
from admission.engine.policy import PolicySet
from admission.serving.connection import Closed, Connection
from admission.serving.connections import PIECE
from admission.serving.pieces import LARGE
from admission.serving.reviews import TURN
from admission.serving.tls import Pair
from tests.review_sample import review
from tests.serving.calls import HEAD, answered, content_length, framed
from tests.serving.clock import Clock
from tests.serving.listening import MEBIBYTE, TRIMMED, Listening, listening, until

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
        assert server.recorder.closings == [Closed.HEADER_TIMEOUT]


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


async def test_what_is_no_http_is_refused_in_our_words_and_counted(pair: Pair) -> None:
    async with listening(pair) as server:
        answer = await server.raw(b"hello?\r\n\r\n")
        assert server.recorder.refusals == [400]
    assert b"\r\nServer: statuscap\r\n" in answer
    assert answer.endswith(b"this is no HTTP that can be answered\n")


async def test_many_reviews_on_a_connection_are_read_as_they_are_answered(pair: Pair) -> None:
    most = 0

    def counts(policies: PolicySet, attributes: Attributes, now: int) -> Decision:
        nonlocal most
        most = max(most, sum(len(each._messages) for each in server.open))
        return TRIMMED

    async with listening(pair, counts) as server, server.connection() as (reader, writer):
        writer.write(framed(review()) * 500)
        for _ in range(500):
            await answered(reader)
    assert 0 < most <= 64  # aiohttp parses 32 of what came at once, and reads no more before these are answered


def answers_of(size: int) -> Callable[[PolicySet, Attributes, int], Decision]:
    """An engine whose patches hold so many bytes."""
    decision = Decision(Outcome.TRIMMED, patch=(Op("replace", "/status/x", b'"%s"' % (b"x" * size)),))
    return lambda policies, attributes, now: decision


def read_ahead(call: Connection) -> int:
    """Bytes of bodies that wait behind the call at hand."""
    return sum(payload.total_bytes for _, payload in call._messages)


async def what_was_sent_has_come(server: Listening) -> None:
    """Wait for an answer on another connection, which came in later than what was sent before."""
    async with server.connection() as (reader, writer):
        writer.write(framed(review()))
        await reader.readuntil(b"\r\n\r\n")


async def test_nothing_is_read_while_an_answer_waits_or_goes_out(pair: Pair) -> None:
    async with listening(pair, answers_of(9 * MEBIBYTE)) as server, server.deaf() as (reader, writer):
        writer.write(framed(review()))
        await until(lambda: server.open and server.open[0].held and server.open[0].writing_paused)
        (call,) = server.open
        writer.write(framed(review(object={"zz": "x" * 8 * MEBIBYTE})))
        await what_was_sent_has_come(server)
        assert not call._messages
        begun = await reader.readexactly(MEBIBYTE)
        await what_was_sent_has_come(server)
        assert call.held
        assert not call._messages
        head, _, body = begun.partition(b"\r\n\r\n")
        await reader.readexactly(content_length(head) - len(body))
        await answered(reader)
        await until(lambda: server.reviews.bytes.bytes == 0)
    assert server.recorder.closings == []


async def test_little_is_read_of_what_comes_with_a_call_whose_answer_waits(pair: Pair) -> None:
    following = review(object={"zz": "x" * 8 * MEBIBYTE})
    async with listening(pair, answers_of(9 * MEBIBYTE)) as server, server.connection() as (reader, writer):
        cast(asyncio.Transport, writer.transport).pause_reading()
        writer.write(framed(review()) + framed(following))
        await until(lambda: server.open and server.open[0].held)
        (call,) = server.open
        await what_was_sent_has_come(server)
        assert 0 < read_ahead(call) <= PIECE
        cast(asyncio.Transport, writer.transport).resume_reading()
        for _ in range(2):
            await answered(reader)


async def test_little_is_read_of_what_comes_while_a_call_waits_for_its_turn(pair: Pair) -> None:
    clock, ahead = Clock(), [0]

    def one_a_turn(policies: PolicySet, attributes: Attributes, now: int) -> Decision:
        clock.now += TURN + 1
        ahead.append(max(map(read_ahead, server.open)))
        return TRIMMED

    async with listening(pair, one_a_turn, monotonic=clock) as server, AsyncExitStack() as stack:
        reader, writer = await stack.enter_async_context(server.connection())
        await until(lambda: server.open)
        (call,) = server.open
        others = [await stack.enter_async_context(server.connection()) for _ in range(40)]
        for _, other in others:
            other.write(framed(review()))
        writer.write(framed(review()))
        await until(lambda: call.busy)
        writer.write(framed(review(object={"zz": "x" * 8 * MEBIBYTE})))
        for each in (*(other for other, _ in others), reader, reader):
            await answered(each)
    assert 0 < max(ahead) <= PIECE


async def test_a_client_that_sends_on_and_reads_late_is_answered(pair: Pair) -> None:
    async with listening(pair, answers_of(LARGE // 2)) as server, server.connection() as (reader, writer):
        cast(asyncio.Transport, writer.transport).pause_reading()
        await until(lambda: server.open)
        (call,) = server.open
        sent = 0
        while not call.writing_paused:
            writer.write(framed(review()))
            sent += 1
            await what_was_sent_has_come(server)
        writer.write(framed(review()))
        await what_was_sent_has_come(server)
        cast(asyncio.Transport, writer.transport).resume_reading()
        for _ in range(sent + 1):
            await answered(reader)
    assert server.recorder.closings == []


# --- what it stands on ---


def numbers(version: str) -> list[int]:
    return list(map(int, re.findall(r"\d+", version)))


def test_no_other_series_of_aiohttp_is_installed_beside_it() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    (bounds,) = (each for each in project["dependencies"] if each.startswith("aiohttp"))
    lowest, end, installed = map(numbers, (*bounds.split(","), aiohttp.__version__))
    assert lowest <= installed < end == [installed[0], installed[1] + 1]


@pytest.mark.parametrize(
    "name",
    [
        *("_max_msg_queue_size", "_msg_queue_resume_size", "_messages", "_buffer_paused"),
        *("_pause_reading_for_buffer", "_resume_reading_if_drained"),
    ],
)
async def test_what_it_uses_of_the_inside_of_aiohttp_is_there(name: str) -> None:
    async def answer(request: web.BaseRequest) -> web.Response:
        return web.Response()

    assert hasattr(web.RequestHandler(web.Server(answer), loop=asyncio.get_running_loop()), name)
