"""Whatever callers do to a server: it answers what can be answered, and is well afterwards."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.bench.cores import peak_memory
from tests.e2e.product import Statuscap
from tests.serving.hostile import MIXES, ODD, Odd, odd_call, quiet
from tests.serving.target import POLICY, Target

MEBIBYTE = 1 << 20
EXPECTED = {"bad_review", "too_deep", "undecodable", "bad_document", "too_many_connections"}

MOST_MEMORY = 400 * MEBIBYTE
"""60 for the process, 128 for what is in flight and as much for putting it together and the allocator's leftovers; the
rest for TLS, which takes half a megabyte for a connection that sends large bodies."""


@pytest.fixture(scope="module")
def server() -> Iterator[Statuscap]:
    """One that has to bear everything, one thing after the other."""
    with Statuscap([POLICY], flags=["--max-connections", "200"]) as started:
        yield started
        lines = [json.loads(line) for line in started.log.read_text().splitlines()]
        assert {line["cause"] for line in lines if line["message"] == "fault"} <= EXPECTED


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: odd.name)
async def test_an_odd_call_is_answered(server: Statuscap, odd: Odd) -> None:
    target = Target(server)
    await odd_call(target, odd)
    await target.is_well()


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in MIXES if name != "whatever is odd"])
async def test_a_server_holds(server: Statuscap, name: str) -> None:
    mix, number, _ = MIXES[name]
    target = Target(server)
    target.forget_peak()
    await mix(target, number)
    await quiet(target)
    assert peak_memory(server.pid) < MOST_MEMORY
