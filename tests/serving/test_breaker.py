"""Policies that keep failing are set aside for a while, longer each time."""

from __future__ import annotations

import pytest

from admission.engine.instant import HOUR, MINUTE, SECOND
from admission.serving.breaker import ASIDE, FAILURES, LONGEST, WITHIN, Breaker
from tests.serving.clock import Clock


def failing(breaker: Breaker, clock: Clock, *, times: int = FAILURES, every: int = SECOND) -> list[int | None]:
    found = []
    for _ in range(times):
        found.append(breaker.fail("p"))
        clock.now += every
    return found


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breaker(clock: Clock) -> Breaker:
    return Breaker(clock)


def test_the_fifth_failure_in_a_minute_sets_a_policy_aside(breaker: Breaker, clock: Clock) -> None:
    assert failing(breaker, clock) == [None, None, None, None, ASIDE]
    assert breaker.aside == {"p"}


def test_failures_that_lie_further_apart_do_not(breaker: Breaker, clock: Clock) -> None:
    assert set(failing(breaker, clock, times=50, every=WITHIN // (FAILURES - 1) + 1)) == {None}
    assert breaker.aside == frozenset()


def test_each_policy_fails_for_itself(breaker: Breaker) -> None:
    assert [breaker.fail(f"p{number}") for number in range(2 * FAILURES)] == [None] * 2 * FAILURES


def test_a_failure_of_one_that_is_aside_is_none(breaker: Breaker, clock: Clock) -> None:
    failing(breaker, clock)
    assert breaker.fail("p") is None


def test_it_comes_back_when_its_time_is_over(breaker: Breaker, clock: Clock) -> None:
    failing(breaker, clock, every=0)
    clock.now += ASIDE - 1
    assert (breaker.back(), breaker.left()) == ([], 1)
    clock.now += 1
    assert (breaker.left(), breaker.back()) == (0, ["p"])
    assert (breaker.aside, breaker.left()) == (frozenset(), None)


def test_one_failure_after_that_is_enough_and_takes_twice_as_long(breaker: Breaker, clock: Clock) -> None:
    failing(breaker, clock, every=0)
    times = []
    for _ in range(6):
        clock.now += breaker.left() or 0
        breaker.back()
        times.append(breaker.fail("p"))
    assert times == [10 * MINUTE, 20 * MINUTE, 40 * MINUTE, HOUR, HOUR, LONGEST]


def test_one_that_has_behaved_since_begins_anew(breaker: Breaker, clock: Clock) -> None:
    failing(breaker, clock, every=0)
    clock.now += ASIDE
    breaker.back()
    clock.now += ASIDE + 1
    assert failing(breaker, clock) == [None, None, None, None, ASIDE]


def test_other_policies_have_not_failed_yet(breaker: Breaker, clock: Clock) -> None:
    failing(breaker, clock)
    breaker.forget()
    assert breaker.aside == frozenset()
    assert breaker.fail("p") is None
