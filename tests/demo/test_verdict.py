"""What is promised of every kind's writes, whatever was trimmed."""

from __future__ import annotations

from tests.demo.tally import Tally
from tests.demo.verdict import held_back, taken


def tally(*, trimmed: bool, reached: bool = False) -> Tally:
    """A controller that wrote twice, the second time the same again."""
    found = Tally("Job")
    for repeat in (False, True):
        found.count(size=100, untrimmed=900 if trimmed else 100, moved=reached or not repeat, repeat=repeat)
    return found


def test_a_repeat_that_moved_no_resource_version_keeps_the_promise_trimmed_or_not() -> None:
    assert held_back(tally(trimmed=True)).kept
    assert held_back(tally(trimmed=False)).kept


def test_a_repeat_that_reached_etcd_breaks_it() -> None:
    promise = held_back(tally(trimmed=True, reached=True))
    assert (promise.kept, promise.found) == (False, "1 repeat, 1 reached it")


def test_a_refused_repeat_reached_nothing_but_was_not_taken() -> None:
    found = Tally("Cluster", frozen=True)
    found.refuse(message="Too long", repeat=True)
    assert held_back(found).kept
    assert not taken(found).kept
