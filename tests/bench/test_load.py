"""The loader against a real server: everything that it counts was asked, answered and right."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.bench.answers import WrongAnswerError
from tests.bench.bodies import bodies
from tests.bench.load import Load
from tests.bench.rounds import Plan, measure
from tests.bench.server import KeyPair, Server, StartError
from tests.bench.subjects import FLOOR

SMALL = bodies(["small"])


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> KeyPair:
    return KeyPair(tmp_path_factory.mktemp("keys"))


@pytest.fixture(scope="module")
def core() -> int:
    return max(os.sched_getaffinity(0))


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory, keys: KeyPair, core: int) -> Iterator[Server]:
    server = Server(FLOOR, tmp_path_factory.mktemp("floor"), keys, core)
    yield server
    server.stop()


def test_a_server_is_pinned_and_ready(floor: Server, core: int) -> None:
    assert os.sched_getaffinity(floor.pid) == {core}
    assert 0 < floor.start.cpu <= floor.start.elapsed + 0.1
    assert floor.peak_memory > 1 << 20


@pytest.mark.parametrize("connections", [1, 3])
async def test_a_window_counts_every_answer_and_the_cpu_for_it(floor: Server, connections: int) -> None:
    load = Load(floor, SMALL[0])
    before = floor.cpu_time
    window = await load.window(connections, seconds=0.1)
    assert window.requests == len(window.latencies) >= connections
    assert 0 < window.cpu <= floor.cpu_time - before
    assert window.elapsed >= 100_000_000
    assert load.verifier.distinct == 1


async def test_every_subject_and_body_is_measured_in_every_round(floor: Server) -> None:
    measured = await measure([floor], Plan(SMALL, [1, 2], rounds=2, seconds=0.02), lambda text: None)
    assert measured.cipher.startswith("TLSv1.3 ")
    assert measured.trimmed(FLOOR.name) == 0
    assert [(row.case.body, row.case.connections) for row in measured.rows] == [(b, n) for b in SMALL for n in (1, 2)]
    assert all(len(row.windows[FLOOR.name]) == 2 for row in measured.rows)


async def test_a_subject_that_should_trim_and_does_not_is_found_out_before_it_is_measured(floor: Server) -> None:
    honest, floor.subject = floor.subject, replace(floor.subject, trims=True)
    try:
        with pytest.raises(WrongAnswerError, match="floor, small, to trim: no JSON Patch"):
            await Load(floor, SMALL[0]).verify()
    finally:
        floor.subject = honest


async def test_a_server_that_knows_another_path_ends_the_run(floor: Server) -> None:
    honest, floor.subject = floor.subject, replace(floor.subject, path="/nowhere")
    try:
        with pytest.raises(WrongAnswerError, match="HTTP status 404"):
            await Load(floor, SMALL[0]).verify()
    finally:
        floor.subject = honest


def test_a_subject_that_does_not_start_says_why(tmp_path: Path, keys: KeyPair, core: int) -> None:
    broken = replace(FLOOR, command=lambda room: ("/bin/sh", "-c", "echo no such policy; exit 2"))
    with pytest.raises(StartError, match="no such policy"):
        Server(broken, tmp_path, keys, core)
