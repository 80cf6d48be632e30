"""The statistics of the tables."""

from __future__ import annotations

import pytest

from tests.bench.bodies import bodies
from tests.bench.figures import percentile, ratio
from tests.bench.load import Window
from tests.bench.rounds import Case, Row
from tests.bench.subjects import FLOOR, PRODUCT


@pytest.mark.parametrize(
    ("samples", "share", "expected"),
    [
        pytest.param([7.0], 0.99, 7.0, id="one sample is every percentile"),
        pytest.param([3.0, 1.0, 2.0], 0.5, 2.0, id="samples need not be sorted"),
        pytest.param([1.0, 2.0, 3.0, 4.0], 0.5, 2.0, id="a percentile is a sample, not between two"),
        pytest.param([float(n) for n in range(1, 101)], 0.99, 99.0, id="one in a hundred is above p99"),
        pytest.param([float(n) for n in range(1, 101)], 1.0, 100.0, id="nothing is above p100"),
        pytest.param([5.0, 6.0], 0.0, 5.0, id="p0 is the smallest"),
    ],
)
def test_a_percentile_is_the_nearest_rank(samples: list[float], share: float, expected: float) -> None:
    assert percentile(samples, share) == expected


def test_there_is_no_percentile_of_nothing() -> None:
    with pytest.raises(ValueError, match="no samples"):
        percentile([], 0.5)


def test_a_ratio_compares_within_a_round() -> None:
    slow_second_round = ([200.0, 2000.0, 210.0], [100.0, 1000.0, 100.0])
    assert ratio(*slow_second_round) == 2.0


def test_rounds_that_do_not_pair_have_no_ratio() -> None:
    with pytest.raises(ValueError, match="shorter"):
        ratio([1.0, 2.0], [1.0])


def window(*, requests: int, cpu: int) -> Window:
    return Window(requests, elapsed=2_000_000_000, cpu=cpu, latencies=[1_000_000, 3_000_000])


def row() -> Row:
    windows = {
        FLOOR.name: [window(requests=10, cpu=1_000_000), window(requests=10, cpu=3_000_000)],
        PRODUCT.name: [window(requests=10, cpu=2_000_000), window(requests=20, cpu=12_000_000)],
    }
    return Row(Case(bodies(["small"])[0], 8), windows)


def test_cpu_is_per_review_and_the_median_of_the_rounds() -> None:
    assert row().cpu(FLOOR.name) == pytest.approx(200.0)
    assert row().cpu(PRODUCT.name) == pytest.approx(400.0)
    assert row().ratio(PRODUCT.name, FLOOR.name) == pytest.approx(2.0)


def test_rates_and_latencies_are_told_in_seconds_and_milliseconds() -> None:
    assert row().per_core(FLOOR.name) == pytest.approx(5_000.0)
    assert row().rate(FLOOR.name) == pytest.approx(5.0)
    assert row().latency(FLOOR.name, 0.5) == pytest.approx(1.0)
    assert row().latency(FLOOR.name, 0.99) == pytest.approx(3.0)
    assert row().requests(PRODUCT.name) == 30


def test_there_is_no_ratio_to_who_was_not_measured() -> None:
    assert Row(row().case, {PRODUCT.name: [window(requests=1, cpu=1)]}).ratio(PRODUCT.name, FLOOR.name) is None
