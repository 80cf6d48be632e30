"""Verdicts: what is judged, by what, and only when it was measured."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.bench.bars import Bar, bars
from tests.bench.bodies import Body, Variant, bodies
from tests.bench.load import Window
from tests.bench.rounds import Case, Row
from tests.bench.server import Start
from tests.bench.subjects import CONTROLLER_RUNTIME, FEW_POLICIES, MANY_POLICIES, PRODUCT, Subject

STARTS = [Start(1.5, 0.5), Start(0.75, 0.5)]
MIB = 2**20


def to_trim(size: str) -> Body:
    return next(body for body in bodies([size]) if body.variant is Variant.TO_TRIM)


def row(cpu: Mapping[Subject, int], size: str = "small", connections: int = 8) -> Row:
    """A row with the CPU of each subject."""
    windows = {subject.name: [Window(1, elapsed=1, cpu=cost, latencies=[1])] for subject, cost in cpu.items()}
    return Row(Case(to_trim(size), connections), windows)


@pytest.mark.parametrize(
    ("bar", "verdict"),
    [
        (Bar("CPU", 0.9, 0.45, 0.3), "missed by 100%"),
        (Bar("CPU", 0.36, 0.45, 0.3), "met by 20%"),
        (Bar("CPU", 0.3, 0.45, 0.3), "met, stretch too"),
        (Bar("memory", 50.0, 100.0), "met by 50%"),
    ],
)
def test_a_verdict_says_by_how_much(bar: Bar, verdict: str) -> None:
    assert bar.verdict == verdict


@pytest.mark.parametrize(("size", "bar", "stretch"), [("small", 0.45, 0.3), ("mid", 0.12, 0.085), ("big", 0.07, 0.045)])
def test_the_cost_of_a_review_to_trim_is_compared_with_controller_runtime(
    size: str, bar: float, stretch: float
) -> None:
    found = bars([row({PRODUCT: 250, CONTROLLER_RUNTIME: 1_000}, size)], STARTS, 0)[0]
    assert found == Bar(f"CPU × c-r: {size}, to trim", 0.25, bar, stretch)


def test_a_thousand_policies_are_compared_with_ten() -> None:
    found = bars([row({FEW_POLICIES: 1_000, MANY_POLICIES: 1_250})], STARTS, 0)[0]
    assert found == Bar("1,000 policies × 10: small, to trim", 1.25, 1.1)


def test_the_busiest_rows_count() -> None:
    quiet = row({PRODUCT: 90, CONTROLLER_RUNTIME: 100}, connections=1)
    busy = row({PRODUCT: 30, CONTROLLER_RUNTIME: 100}, connections=8)
    assert [bar.measured for bar in bars([quiet, busy], STARTS, 0)[:-1]] == [0.3]


@pytest.mark.parametrize(
    ("measured", "judged"),
    [
        (row({}, "big", 8), True),
        (row({}, "big", 1), False),
        (row({}, "mid", 8), False),
    ],
    ids=["eight big ones", "one big one", "eight mid ones"],
)
def test_memory_is_judged_with_eight_big_reviews_in_flight(measured: Row, judged: bool) -> None:
    found = [bar.measured for bar in bars([measured], STARTS, 90 * MIB) if bar.what.startswith("peak RSS")]
    assert found == ([90.0] if judged else [])


def test_the_quickest_start_counts() -> None:
    assert [(bar.what, bar.measured) for bar in bars([], STARTS, 0)] == [("ready after s", 0.75)]
