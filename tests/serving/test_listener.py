"""Connections are accepted as long as there are few enough, and that leaves descriptors for everything else."""

import asyncio
import errno
import resource
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import pytest
from aiohttp import web

from admission.serving.connection import SLOW, Closed, Connection, Patience
from admission.serving.connections import Connections, Terms
from admission.serving.inflight import InFlight
from admission.serving.listener import CROWD, NARROW, SPARE_DESCRIPTORS, Listener, most_descriptors
from admission.serving.tls import Pair
from tests.review_sample import review
from tests.serving.calls import HEAD, answered, framed
from tests.serving.clock import Clock
from tests.serving.listening import HOST, MEBIBYTE, Recorder, listening, until

CALL = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


async def greet(request: web.BaseRequest) -> web.Response:
    """Say hello to every call."""
    assert isinstance(request.protocol, Connection)
    request.protocol.call_came()
    request.protocol.expect_next()
    return web.Response(text="hello\n")


@asynccontextmanager
async def greeting(*, most: int = 8, descriptors: int = 10_000) -> AsyncIterator[tuple[int, Recorder]]:
    """A listener on loopback: its port, and who is told about what it closes."""
    async with greeted(most=most, descriptors=descriptors) as (bound, recorder, _):
        yield bound.getsockname()[1], recorder


@asynccontextmanager
async def greeted(
    *, most: int = 8, descriptors: int = 10_000
) -> AsyncIterator[tuple[socket.socket, Recorder, list[float]]]:
    """A listener's socket, who is told, and how long it paused; a pause takes no time."""
    recorder, pauses = Recorder(), list[float]()
    terms = Terms(keep_alive=60, patience=Patience(headers=10, answer=10))
    connections = Connections(greet, terms, InFlight(1 << 20), recorder)

    async def pause(seconds: float) -> None:
        pauses.append(seconds)
        await asyncio.sleep(0)

    listener = Listener(connections, recorder, most=most, descriptors=descriptors, pause=pause)
    (bound,) = await listener.listen(HOST, 0, backlog=8)
    try:
        yield bound, recorder, pauses
    finally:
        listener.close()
        await connections.shutdown(timeout=1.0)


async def test_hands_connections_to_protocols() -> None:
    async with greeting() as (port, recorder):
        for _ in range(3):
            reader, writer = await asyncio.open_connection(HOST, port)
            writer.write(CALL)
            assert (await reader.readuntil(b"hello\n")).startswith(b"HTTP/1.1 200 OK")
            writer.close()
    assert recorder.closings == []


async def test_closes_what_would_take_a_descriptor_too_many() -> None:
    async with greeting(descriptors=0) as (port, recorder):
        for _ in range(3):
            reader, writer = await asyncio.open_connection(HOST, port)
            assert await reader.read() == b""
            writer.close()
        await until(lambda: recorder.closings == [Closed.DESCRIPTORS] * 3)


async def test_backs_off_while_nobody_can_be_accepted() -> None:
    async with greeted() as (bound, recorder, pauses):
        bound.shutdown(socket.SHUT_RDWR)  # from now on, accepting fails at once
        await until(lambda: len(pauses) >= 10)
    assert pauses[:10] == [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.0, 1.0, 1.0]
    assert recorder.failures[:10] == [errno.EINVAL] * 10
    assert recorder.closings == []


@pytest.mark.parametrize(
    ("failures", "paused", "told", "closed"),
    [
        pytest.param([errno.ECONNABORTED] * 3, [0, 0, 0], 0, 0, id="callers that are gone keep nobody waiting"),
        pytest.param([errno.ENETDOWN], [0.01], 1, 0, id="a passing failure hardly does"),
        pytest.param([errno.EMFILE, errno.ENOBUFS], [1.0, 1.0], 0, 2, id="a shortage takes a second to pass"),
        pytest.param([errno.EINVAL, 0, errno.EINVAL], [0.01, 0.01], 2, 0, id="after a connection it starts anew"),
    ],
)
async def test_goes_on_when_accepting_works_again(
    monkeypatch: pytest.MonkeyPatch, failures: list[int], paused: list[float], told: int, closed: int
) -> None:
    loop, left = asyncio.get_running_loop(), [*failures]
    accept = loop.sock_accept

    async def failing(listening: socket.socket) -> tuple[socket.socket, object]:
        code = left.pop(0) if left else 0
        if code:
            raise OSError(code, "as the system says")
        return await accept(listening)

    monkeypatch.setattr(loop, "sock_accept", failing)
    async with greeted() as (bound, recorder, pauses):
        for _ in range(2):
            reader, writer = await asyncio.open_connection(*bound.getsockname())
            writer.write(CALL)
            assert (await reader.readuntil(b"hello\n")).startswith(b"HTTP/1.1 200 OK")
            writer.close()
    assert (pauses, len(recorder.failures)) == (paused, told)
    assert recorder.closings == [Closed.DESCRIPTORS] * closed


async def test_who_comes_to_a_crowd_gets_a_small_buffer_and_is_answered_as_well(pair: Pair) -> None:
    async with listening(pair) as server, AsyncExitStack() as stack:
        streams = [await stack.enter_async_context(server.connection()) for _ in range(CROWD + 2)]
        await until(lambda: len(server.open) == CROWD + 2)
        narrow = [_receive_buffer(each) == 2 * NARROW for each in server.open]  # Linux doubles what it is told
        assert (narrow[0], narrow[-1]) == (False, True)
        large = review(object={"zz": "x" * MEBIBYTE})
        for reader, writer in (streams[0], streams[-1]):
            writer.write(framed(large))
            await answered(reader)


def _receive_buffer(connection: Connection) -> int:
    assert connection.transport is not None
    size: int = connection.transport.get_extra_info("socket").getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)
    return size


async def test_accepts_no_more_once_it_is_closed() -> None:
    async with greeting() as (port, _):
        pass
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(HOST, port)


async def test_an_address_that_is_taken_is_told() -> None:
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]
        terms = Terms(keep_alive=60, patience=Patience(headers=10, answer=10))
        connections = Connections(greet, terms, InFlight(1), Recorder())
        with pytest.raises(OSError, match=str(port)):
            await Listener(connections, Recorder(), most=8, descriptors=10_000).listen(HOST, port, backlog=8)


@pytest.mark.parametrize(
    ("limit", "most"),
    [(1024, 1024 - SPARE_DESCRIPTORS), (100, 50), (resource.RLIM_INFINITY, 2**31)],
    ids=["as usual", "too low", "none"],
)
def test_leaves_descriptors_for_others(monkeypatch: pytest.MonkeyPatch, limit: int, most: int) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (limit, limit))
    assert most_descriptors() == most


# --- too many ---


async def test_the_connection_that_is_idle_for_longest_makes_room(pair: Pair) -> None:
    clock = Clock()
    async with (
        listening(pair, max_connections=2, monotonic=clock) as server,
        server.connection() as first,
        server.connection() as second,
    ):
        for connection in (second, first):
            clock.now += 1
            connection[1].write(framed(review()))
            await answered(connection[0])
        async with server.connection() as (reader, writer):
            writer.write(framed(review()))
            await answered(reader)
            assert await second[0].read() == b""
            first[1].write(framed(review()))
            await answered(first[0])
    assert server.recorder.closings == [Closed.MAX_CONNECTIONS]


async def test_a_new_one_is_closed_at_once_when_all_others_are_in_the_middle_of_a_call(pair: Pair) -> None:
    clock = Clock()
    async with listening(pair, max_connections=1, monotonic=clock) as server, server.connection() as (reader, writer):
        request = framed(review())
        writer.write(request[:-1])
        await until(lambda: server.reviews.in_flight)
        with pytest.raises(OSError):  # noqa: PT011  # a reset or an end, as the system likes
            async with server.connection():
                pass
        assert server.recorder.closings == [Closed.MAX_CONNECTIONS]
        writer.write(request[-1:])
        await answered(reader)


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(HEAD, id="headers"),
        pytest.param(HEAD + b"Content-Length: 9\r\n\r\n{", id="a body"),
    ],
)
async def test_a_client_that_is_slow_with_its_call_makes_room(pair: Pair, sent: bytes) -> None:
    clock = Clock()
    async with listening(pair, max_connections=1, monotonic=clock) as server, server.connection() as slow:
        slow[1].write(sent)
        await until(lambda: any(each.arrival for each in server.open))
        clock.now += SLOW + 1
        async with server.connection() as (reader, writer):
            writer.write(framed(review()))
            await answered(reader)
        with suppress(ConnectionError):
            assert await slow[0].read() == b""
    assert server.recorder.closings == [Closed.MAX_CONNECTIONS]


async def test_a_handshake_that_is_slow_makes_room(pair: Pair) -> None:
    clock = Clock()
    async with listening(pair, max_connections=2, monotonic=clock) as server:
        slow = await asyncio.open_connection(HOST, server.port)
        async with server.connection() as (reader, writer):
            clock.now += SLOW + 1
            async with server.connection() as another:
                for one in ((reader, writer), another):
                    one[1].write(framed(review()))
                    await answered(one[0])
        with suppress(ConnectionError):
            assert await slow[0].read() == b""
        slow[1].close()
    assert server.recorder.closings == [Closed.HANDSHAKE]
