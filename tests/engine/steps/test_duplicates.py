"""``dedupe``."""

from __future__ import annotations

import pytest

from admission.engine.steps import Dedupe
from tests.engine.build import Json, after, at, decide, dedupe, kept
from tests.engine.steps.sample import ids, items


@pytest.mark.parametrize(
    ("step", "stays"),
    [
        pytest.param(dedupe("First", ["k"]), "abe", id="the first of each"),
        pytest.param(dedupe("Last", ["k"]), "cde", id="the last of each, at its own place"),
        pytest.param(dedupe("Newest", ["k"]), "bce", id="the newest of each"),
        pytest.param(dedupe("Last", ["k"], position="First"), "cde", id="at the place of the first"),
        pytest.param(dedupe("Newest", ["k"], position="First"), "cbe", id="the newest at the place of the first"),
        pytest.param(dedupe("First", ["k"], scope="Consecutive"), "abcde", id="only runs count"),
        pytest.param(dedupe("First", ["k", "id"]), "abcde", id="all keys must be equal"),
        pytest.param(dedupe("First", ["none"]), "abcde", id="without the key: left alone"),
        pytest.param(dedupe("First", ["k", "none"]), "abcde", id="without one of the keys: left alone"),
        pytest.param(dedupe("First", ignoring=["id", "t"]), "abe", id="equal but for some fields"),
        pytest.param(dedupe("First", ignoring=["id"]), "abcde", id="another field differs"),
    ],
)
def test_of_equal_items_one_stays(step: Dedupe, stays: str) -> None:
    sample = items("abcde", k=["x", "y", "x", "y", "z"], t=[1, 2, 3, 4, 5])
    for item, minute in zip(sample, [1, 9, 5, 3, 0], strict=True):
        item["lastUpdateTime" if "ignoring" not in repr(step) or step.ignoring is None else "t"] = at(minute)
    assert ids(kept(step, sample)) == stays


@pytest.mark.parametrize(
    ("keep", "position", "stays"),
    [
        pytest.param("First", "OfKept", "acdfg", id="first"),
        pytest.param("Last", "OfKept", "bcefg", id="last"),
        pytest.param("Last", "First", "bcefg", id="last, at the first place"),
        pytest.param("Newest", "OfKept", "bcefg", id="newest: no times, so by position"),
    ],
)
def test_runs_of_equal_items_shrink_to_one(keep: str, position: str, stays: str) -> None:
    sample = items("abcdefg", k=["x", "x", "y", "x", "x", ..., "x"])
    assert ids(kept(dedupe(keep, ["k"], scope="Consecutive", position=position), sample)) == stays


@pytest.mark.parametrize("stranger", [{"id": "-"}, {"id": "-", "k": None}, "text", None, [], 7])
def test_an_item_without_the_key_ends_a_run_and_is_left_alone(stranger: Json) -> None:
    sample = [{"id": "a", "k": 1}, stranger, {"id": "b", "k": 1}, {"id": "c", "k": 1}, stranger, stranger]
    assert kept(dedupe("First", ["k"], scope="Consecutive"), sample) == [*sample[:3], *sample[4:]]
    assert kept(dedupe("First", ["k"]), sample) == [*sample[:2], *sample[4:]]


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        pytest.param(1, 1.0, False, id="1 is not 1.0"),
        pytest.param(1, "1", False, id="a number is not a text"),
        pytest.param(True, "true", False, id="a boolean is not a text"),
        pytest.param(True, 1, False, id="a boolean is not a number"),
        pytest.param(2**53, 2**53 + 1, False, id="integers beyond 2^53"),
        pytest.param({"a": 1, "b": 2}, {"a": 1, "b": 2}, True, id="objects"),
        pytest.param({"a": 1}, {"a": 1, "b": None}, False, id="null is not absent where values are compared"),
        pytest.param([1, 2], [1, 2], True, id="lists"),
        pytest.param([1, 2], [2, 1], False, id="lists in another order"),
        pytest.param([], {}, False, id="an empty list is no empty object"),
        pytest.param("<é>", "<é>", True, id="texts"),
        pytest.param("", "", True, id="empty texts"),
        pytest.param(False, False, True, id="false is a value"),
        pytest.param(0, 0, True, id="and so is 0"),
    ],
)
def test_keys_are_equal_as_json(left: Json, right: Json, equal: bool) -> None:
    sample = [{"id": "a", "k": left}, {"id": "b", "k": right}]
    assert ids(kept(dedupe("First", ["k"]), sample)) == ("a" if equal else "ab")
    assert ids(kept(dedupe("First", ignoring=["id"]), sample)) == ("a" if equal else "ab")


def test_members_are_equal_in_any_order_and_writing() -> None:
    text = b'{"status":{"history":[{"k":{"a":1,"b":"\\u003c"}},{"k":{"b":"<","a":1}},{"k":{"b":"\\u003C","a":1}}]}}'
    assert after(dedupe("First", ["k"]), text)["status"] == {"history": [{"k": {"a": 1, "b": "<"}}]}


def test_scalars_are_their_own_key() -> None:
    assert kept(dedupe("First", ["."]), ["a", "b", "a", None, None, 1, "1"]) == ["a", "b", None, None, 1, "1"]


def test_nested_keys() -> None:
    sample = [{"id": "a", "k": {"n": 1}}, {"id": "b", "k": {"n": 1}}, {"id": "c", "k": {}}, {"id": "d", "k": {}}]
    assert ids(kept(dedupe("Last", ["k.n"]), sample)) == "bcd"


@pytest.mark.parametrize(
    ("times", "stays"),
    [
        pytest.param([at(9), at(1), at(2), at(8)], "ad", id="the newest of each"),
        pytest.param([at(9), at(9), at(2), at(2)], "bd", id="of equal times the later"),
        pytest.param([at(9), ..., at(8), at(2)], "bc", id="an unknown time counts only among the items of its key"),
        pytest.param([at(9), "", ..., at(2)], "bd", id="unknown in both"),
    ],
)
def test_the_newest_of_equal_items(times: list[Json], stays: str) -> None:
    sample = items("abcd", k=["x", "x", "y", "y"], lastUpdateTime=times)
    assert ids(kept(dedupe("Newest", ["k"]), sample)) == stays


@pytest.mark.parametrize(
    ("keep", "position", "stays"),
    [
        pytest.param("First", "OfKept", "abd", id="the first stays, and the last B"),
        pytest.param("Last", "OfKept", "ad", id="the last stays, and the only A"),
        pytest.param("Last", "First", "ad", id="nobody takes the place of one that stays"),
    ],
)
def test_a_type_is_never_lost_as_a_duplicate(keep: str, position: str, stays: str) -> None:
    sample = items("abcd", type=["A", "C", "B", "B"], k=[1, 2, 1, 1])
    wanted = stays if keep == "First" else stays.replace("a", "ab")
    assert ids(kept(dedupe(keep, ["k"], "status.conditions", position=position), sample, "conditions")) == wanted


def test_types_of_conditions_may_be_the_key() -> None:
    sample = items("abcd", type=["A", "A", "B", "A"])
    assert ids(kept(dedupe("Newest", ["type"], "status.conditions"), sample, "conditions")) == "cd"


def test_many_moves_keep_the_places_of_the_first() -> None:
    sample = items("abcdefgh", k=["x", "y", "z", "x", "y", ..., "z", "x"])
    assert ids(kept(dedupe("Last", ["k"], position="First"), sample)) == "hegf"


def test_a_long_list_of_duplicates_moves_in_one_pass() -> None:
    count = 20_000
    sample = [{"id": number, "k": number % (count // 2)} for number in range(count)]
    assert kept(dedupe("Last", ["k"], position="First"), sample) == sample[count // 2 :]


def test_says_how_many_bytes_are_saved() -> None:
    decision = decide(dedupe("Last", ["k"], position="First"), {"history": items("abc", k=[1, 1, 1])})
    assert decision.policies[0].steps[0].items == 2
    assert decision.policies[0].bytes_removed == decision.bytes_before - decision.bytes_after


def test_an_item_of_another_type_that_moves_to_the_first_place_keeps_its_type_in_the_list() -> None:
    items = [
        {"type": "A", "reason": "R", "lastTransitionTime": "2026-01-01T00:00:00Z"},
        {"type": "A", "reason": "S", "lastTransitionTime": "2026-01-01T00:00:01Z"},
        {"type": "B", "reason": "R", "lastTransitionTime": "2026-01-01T00:00:02Z"},
    ]
    step = dedupe("Newest", ["reason"], "status.conditions", position="First")
    assert kept(step, items, "conditions") == [items[2], items[1]]
