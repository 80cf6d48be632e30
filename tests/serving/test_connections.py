"""Connections are used for so long, and no call is cut for it."""

import pytest

from admission.serving.connection import Patience
from admission.serving.connections import Connections, Terms
from admission.serving.inflight import InFlight
from admission.serving.tls import Pair
from tests.review_sample import review
from tests.serving.calls import answered, framed
from tests.serving.clock import SECOND, Clock
from tests.serving.listening import Recorder, listening, until

PATIENCE = Patience(headers=10, answer=10)


@pytest.mark.parametrize(
    ("chance", "seconds"), [(0.0, 480), (0.5, 600), (1.0, 720)], ids=["early", "in the middle", "late"]
)
async def test_ages_differ_by_a_fifth(chance: float, seconds: int) -> None:
    clock = Clock()
    terms = Terms(keep_alive=60, patience=PATIENCE, age=600)
    connections = Connections(lambda: None, terms, InFlight(1), Recorder(), monotonic=clock, chance=lambda: chance)
    assert connections().expires - clock.now == seconds * SECOND


async def test_an_age_of_zero_is_for_ever() -> None:
    connections = Connections(lambda: None, Terms(keep_alive=60, patience=PATIENCE), InFlight(1), Recorder())
    assert connections().expires > 10**18


async def test_an_old_connection_is_closed_with_an_answer(pair: Pair) -> None:
    clock = Clock()
    async with listening(pair, monotonic=clock, max_connection_age=600.0) as server:
        seen = []
        for passed in (0, 400, 400, 100):
            clock.now += passed * SECOND
            response, _ = await server.post(review())
            seen.append((response.status, response.headers.get("Connection")))
    assert seen == [(200, None), (200, None), (200, "close"), (200, None)]


async def test_a_call_is_not_cut_when_its_connection_gets_old(pair: Pair) -> None:
    clock = Clock()
    async with (
        listening(pair, monotonic=clock, max_connection_age=10.0) as server,
        server.connection() as (reader, writer),
    ):
        request = framed(review())
        writer.write(request[:-1])
        await until(lambda: server.reviews.in_flight)
        clock.now += 25 * SECOND
        writer.write(request[-1:])
        await answered(reader)
        writer.write(request)
        assert b"\r\nConnection: close\r\n" in await reader.read()
