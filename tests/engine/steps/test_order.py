"""Which of several items is the newest."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from admission.engine.steps.order import BY_KEY, EntryOrder, natural_key, zoned_times_of
from admission.engine.values import Object
from tests.engine.build import Json, at, cap_list, go, kept, order, raw


def ids(items: list[Json]) -> list[int]:
    return [item["id"] for item in items]


def history(field: str, values: list[Json]) -> list[Json]:
    """Items by number; ``...`` leaves the field out."""
    return [{"id": n} if value is ... else {"id": n, field: value} for n, value in enumerate(values)]


@pytest.mark.parametrize(
    ("by", "values", "newest"),
    [
        pytest.param("NewestLast", [0, 0, 0], [1, 2], id="the last are the newest"),
        pytest.param("NewestFirst", [0, 0, 0], [0, 1], id="the first are the newest"),
        pytest.param("x Time", [at(3), at(1), at(2)], [0, 2], id="by time"),
        pytest.param("x Time", [at(3), at(1), at(1)], [0, 2], id="of equal times the later is newer"),
        pytest.param("x Time", [at(3), ..., at(2)], [1, 2], id="one unknown time: position decides for all"),
        pytest.param("x Time", [at(3), None, at(2)], [1, 2], id="null is an unknown time"),
        pytest.param("x Time", [at(3), "0001-01-01T00:00:00Z", at(2)], [1, 2], id="unset is an unknown time"),
        pytest.param("x Time", [at(3), 7, at(2)], [1, 2], id="a number is an unknown time"),
        pytest.param("x Number", [3, 1, 2], [0, 2], id="by number"),
        pytest.param("x Number", ["10", "9", "8"], [0, 1], id="numeric strings are numbers"),
        pytest.param("x Number", ["10", 9, 11.5], [0, 2], id="strings and numbers together"),
        pytest.param("x Number", [1e3, 999, 1], [0, 1], id="an exponent"),
        pytest.param("x Number", [-1, -3, -2], [0, 2], id="negative numbers"),
        pytest.param("x Number", [2**63 + 2, 2**63 + 1, 2**63], [0, 1], id="beyond what a float can tell apart"),
        pytest.param("x Number", [1, ..., 2], [0, 2], id="without the field: the oldest"),
        pytest.param("x Number", [1, "many", 2], [0, 2], id="no number: the oldest"),
        pytest.param("x Number", [..., None, True], [1, 2], id="of several without it the later is newer"),
        pytest.param("x Number", [7, 7, 7], [1, 2], id="of equal numbers the later is newer"),
        pytest.param("x Number", [7, 7.0, 6], [0, 1], id="7 is as new as 7.0"),
        pytest.param("x Natural", ["exec-9", "exec-10", "exec-1"], [0, 1], id="exec-9 before exec-10"),
        pytest.param("x Natural", ["b-1", "a-2", "a-10"], [0, 2], id="text before numbers"),
        pytest.param("x Natural", ["v1.10", "v1.9", "v1.9.1"], [0, 2], id="versions"),
        pytest.param("x Natural", [10, 9, "11"], [0, 2], id="numbers as text"),
        pytest.param("x Natural", ["a", ..., "b"], [0, 2], id="without a text: the oldest"),
        pytest.param("x Natural", ["a", {"a": 1}, "b"], [0, 2], id="an object has no text"),
        pytest.param("x Natural", ["7", "007", "6"], [0, 1], id="leading zeros break a tie of numbers"),
    ],
)
def test_keeps_the_newest(by: str, values: list[Json], newest: list[int]) -> None:
    assert ids(kept(cap_list(2, by), history("x", values))) == newest


def test_reads_the_item_itself_and_nested_fields() -> None:
    assert kept(cap_list(1, ". Number"), [2, 3, 1]) == [3]
    assert kept(cap_list(1, "a.b Number"), [{"a": {"b": 2}}, {"a": {"b": 1}}]) == [{"a": {"b": 2}}]


@pytest.mark.parametrize("text", ["NewestFirst", "{by: x.y, as: Natural}"])
def test_prints_back(text: str) -> None:
    words = {"NewestFirst": "NewestFirst", "{by: x.y, as: Natural}": "x.y Natural"}
    assert str(order(words[text])) == text


@given(st.lists(st.integers(0, 10**6), min_size=2, max_size=6))
def test_natural_order_sorts_numbers_in_names_as_numbers(numbers: list[int]) -> None:
    keyed = sorted((f"exec-{number}" for number in numbers), key=natural_key)
    assert keyed == [f"exec-{number}" for number in sorted(numbers)]


@given(st.text(max_size=8), st.text(max_size=8))
def test_natural_order_is_total_and_tells_every_two_texts_apart(left: str, right: str) -> None:
    assert (natural_key(left) < natural_key(right)) + (natural_key(right) < natural_key(left)) == (left != right)


def test_a_number_too_long_for_python_to_read_is_no_fault() -> None:
    items = history("x", ["1" * 5000, "2" * 5000, "3"])
    assert ids(kept(cap_list(1, "x Natural"), items)) == [1]
    assert ids(kept(cap_list(1, "x Number"), items)) == [2]


def test_natural_order_reads_a_hundred_numbers_of_a_text_and_the_rest_as_text() -> None:
    numbers = "7-" * 99
    assert natural_key(f"{numbers}9-x") < natural_key(f"{numbers}10-x")
    assert natural_key(f"{numbers}7-9") > natural_key(f"{numbers}7-10")
    assert len(natural_key("7-" * 500_000)) == 201


# --- entries of a map ------------------------------------------------------------------------------------------------


def entries(**values: Json) -> Object:
    """The entries of a map, untouched; ``...`` is one without the field."""
    return {name: raw(go({} if value is ... else {"x": value})) for name, value in values.items()}


@pytest.mark.parametrize(
    ("by", "members", "oldest_first"),
    [
        pytest.param("", entries(e10=0, e9=0, E9=0), "E9 e9 e10", id="by key"),
        pytest.param("x Time", entries(a=at(3), b=at(1), c=at(2)), "b c a", id="by time"),
        pytest.param("x Time", entries(a=at(3), b=..., c=at(2)), "a b c", id="by key where one time is unknown"),
        pytest.param("x Time", entries(a10=at(3), a9=at(3), b=at(1)), "b a9 a10", id="of equal times by key"),
        pytest.param("x Number", entries(a="10", b=9, c=..., d="?"), "c d b a", id="what lacks a number is the oldest"),
        pytest.param("x Natural", entries(a="v10", b="v9", c=...), "c b a", id="by text"),
    ],
)
def test_orders_entries(by: str, members: Object, oldest_first: str) -> None:
    entry_order = EntryOrder(order(by)) if by else BY_KEY
    assert entry_order.oldest_first(members, set(members)) == oldest_first.split()


def test_orders_only_the_entries_that_are_asked_for_and_leaves_them_as_they_are() -> None:
    members = entries(a=at(3), b=..., c=at(2))
    before = dict(members)
    assert EntryOrder(order("x Time")).oldest_first(members, ["a", "c"]) == ["c", "a"]
    assert members == before


def test_an_age_needs_a_time_that_names_its_zone() -> None:
    items = [raw(go(item)) for item in ({"t": "2026-01-01T00:00:00", "u": at(1)}, {"t": at(2)}, {"t": None}, 7)]
    known = zoned_times_of([*items], ("t", "u"))
    assert [time is None for time in known] == [False, False, True, True]
    assert known[0] != known[1]
