"""What ages goes by the book: ``expire`` and ``capMap`` beside slow rules that know nothing of the engine."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from admission.engine.fieldpath import FieldPath
from admission.engine.steps import CapMap, Expire, Step
from tests.engine.build import NOW, Json, exact, go, judge, patched, path, write
from tests.engine.conftest import EXAMPLES
from tests.engine.oracle import evicted_by_the_book, expired_by_the_book
from tests.engine.strategies.dice import Drawn, several
from tests.engine.strategies.places import STATUS
from tests.engine.strategies.steps import a_cap_of_a_map, an_expiry
from tests.engine.strategies.values import executors, record

AGING: FieldPath = path("status.aging")


@st.composite
def histories(draw: st.DrawFn) -> tuple[Expire, list[Json]]:
    """A step and a list that it works on."""
    dice = Drawn(draw)
    step = an_expiry(dice, STATUS)
    assert isinstance(step, Expire)
    return replace(step, path=AGING), several(dice, 9, record)


@st.composite
def maps(draw: st.DrawFn) -> tuple[CapMap, Json]:
    """A step and a map that it works on."""
    dice = Drawn(draw)
    step = a_cap_of_a_map(dice, STATUS)
    assert isinstance(step, CapMap)
    return replace(step, path=AGING), executors(dice)


def judged(step: Step, value: Json) -> tuple[Json, Json]:
    """The value as it was sent, and what is left of it; numbers as written."""
    attributes = write({"status": {"aging": value}})
    return exact(go(value)), patched(attributes, judge(step, attributes))["status"]["aging"]


@settings(max_examples=EXAMPLES or 300)
@given(histories())
def test_a_list_expires_by_the_book(drawn: tuple[Expire, list[Json]]) -> None:
    step, items = drawn
    sent, left = judged(step, items)
    assert left == [sent[position] for position in expired_by_the_book(step, sent, NOW)]


@settings(max_examples=EXAMPLES or 300)
@given(maps())
def test_a_map_is_capped_by_the_book(drawn: tuple[CapMap, Json]) -> None:
    step, entries = drawn
    sent, left = judged(step, entries)
    assert list(left) == evicted_by_the_book(step, sent)
    assert left.items() <= sent.items()
