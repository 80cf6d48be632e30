"""``capList`` and ``dedupe``."""

from __future__ import annotations

import pytest

from admission.engine.decision import Outcome, Reason
from admission.engine.steps import CapList, Dedupe
from tests.engine.build import (
    Json,
    after,
    at,
    cap_conditions,
    cap_list,
    custom_resource,
    decide,
    dedupe,
    entry,
    judge,
    kept,
    pin,
    policy,
    trimmed,
    write,
)


def ids(items: list[Json]) -> str:
    return "".join(item["id"] for item in items)


def items(text: str, **fields: list[Json]) -> list[Json]:
    """One item a letter; ``...`` leaves a field out."""
    return [
        {"id": letter} | {name: values[n] for name, values in fields.items() if values[n] is not ...}
        for n, letter in enumerate(text)
    ]


# --- capList ---------------------------------------------------------------------------------------------------------

STATES: list[Json] = ["ok", "bad", "ok", "bad", "ok"]


@pytest.mark.parametrize(
    ("step", "stays"),
    [
        pytest.param(cap_list(2), "de", id="the newest"),
        pytest.param(cap_list(2, "NewestFirst"), "ab", id="the newest at the front"),
        pytest.param(cap_list(5), "abcde", id="exactly max"),
        pytest.param(cap_list(0), "", id="none at all"),
        pytest.param(cap_list(3, first=1), "ade", id="the first is pinned and counts toward max"),
        pytest.param(cap_list(3, "NewestFirst", last=1), "abe", id="the last is pinned"),
        pytest.param(cap_list(2, first=1, last=1), "ae", id="both ends"),
        pytest.param(cap_list(1, first=2, last=2), "abde", id="pins alone may exceed max"),
        pytest.param(cap_list(3, first=9), "abcde", id="more pins than items"),
        pytest.param(cap_list(2, pins=[pin("state In bad")]), "bd", id="pinned by a requirement"),
        pytest.param(cap_list(3, pins=[pin("state In bad")]), "bde", id="pins first, then the newest"),
        pytest.param(cap_list(2, pins=[pin("state In bad", newest=1)]), "de", id="only the newest that match"),
        pytest.param(
            cap_list(2, "NewestFirst", pins=[pin("state In bad", newest=1)]),
            "ab",
            id="the newest by the order of the list",
        ),
        pytest.param(cap_list(2, pins=[pin("id In a", "state In ok")]), "ae", id="all requirements of a pin"),
        pytest.param(cap_list(2, pins=[pin("id In a", "state In bad")]), "de", id="one of them does not hold"),
        pytest.param(cap_list(3, pins=[pin("id In a"), pin("id In b")]), "abe", id="any of several pins"),
        pytest.param(cap_list(1, pins=[pin("state In bad", newest=0)]), "e", id="a pin of none"),
        pytest.param(cap_list(1, pins=[pin("state In bad", newest=9)]), "bd", id="a pin of more than match"),
        pytest.param(cap_list(1, pins=[pin("gone Exists")]), "e", id="a pin that nothing meets"),
    ],
)
def test_caps_a_list(step: CapList, stays: str) -> None:
    assert ids(kept(step, items("abcde", state=STATES))) == stays


def test_pins_that_exceed_the_cap_are_told() -> None:
    step = cap_list(1, pins=[pin("state In bad")])
    decision = decide(step, {"history": items("abcde", state=STATES)})
    assert decision.policies[0].steps[0].reason is Reason.CAP_UNREACHABLE
    assert decide(cap_list(2, first=2), {"history": items("abc")}).policies[0].steps[0].reason is Reason.NONE


@pytest.mark.parametrize(
    ("step", "times", "stays"),
    [
        pytest.param(cap_list(2, "t Time"), [at(4), at(3), at(2), at(1)], "ab", id="all times are known"),
        pytest.param(
            cap_list(2, "t Time"), [at(4), at(3), at(2), ...], "cd", id="an unknown time of an item that may go"
        ),
        pytest.param(
            cap_list(2, "t Time", last=1), [at(4), at(3), at(2), ...], "ad", id="a pinned item's time is not compared"
        ),
        pytest.param(
            cap_list(2, "t Time", pins=[pin("id In d")]),
            [at(4), at(3), at(2), ...],
            "ad",
            id="nor one pinned by a requirement",
        ),
        pytest.param(
            cap_list(2, "t Time", pins=[pin("id In a b c", newest=1)]),
            [at(4), at(3), at(2), at(1)],
            "ab",
            id="the newest pins are picked by time",
        ),
    ],
)
def test_an_unknown_time_makes_the_position_decide(step: CapList, times: list[Json], stays: str) -> None:
    assert ids(kept(step, items("abcd", t=times))) == stays


@pytest.mark.parametrize(
    ("step", "types", "stays"),
    [
        pytest.param(cap_list(1, at="status.conditions"), "AABB", "bd", id="the newest of every type stays"),
        pytest.param(cap_list(2, at="status.conditions"), "ABBB", "ad", id="it counts toward max like a pin"),
        pytest.param(cap_list(3, at="status.conditions"), "ABBB", "acd", id="then the newest"),
        pytest.param(
            cap_list(2, "NewestFirst", at="status.conditions"), "AAAB", "ad", id="newest by the list's own order"
        ),
        pytest.param(cap_list(2, at="status.conditions", first=1), "AAAB", "ad", id="a pinned item holds its type"),
        pytest.param(
            cap_list(1, at="status.conditions", pins=[pin("id In a")]), "AABB", "ad", id="a pin holds its type too"
        ),
    ],
)
def test_the_last_condition_of_a_type_stays(step: CapList, types: str, stays: str) -> None:
    assert ids(kept(step, items("abcd", type=list(types)), "conditions")) == stays


CONDITIONS_SOMEWHERE = [
    pytest.param("clusterConditions", "status.clusterConditions", id="a key that ends in conditions"),
    pytest.param("CONDITIONS", "status.CONDITIONS", id="in any case"),
    pytest.param("nodeConditions.n1", "status.nodeConditions.n1", id="a list in a map under such a key"),
    pytest.param("nodeConditions.n1", "status.nodeConditions.*", id="and by a wildcard"),
    pytest.param("nodes.conditions", "status.*.conditions", id="anywhere"),
]


def nested(names: str, value: Json) -> Json:
    for name in reversed(names.split(".")):
        value = {name: value}
    return value


@pytest.mark.parametrize(("place", "at_path"), CONDITIONS_SOMEWHERE)
def test_conditions_are_known_by_their_key(place: str, at_path: str) -> None:
    status = nested(place, items("abc", type=["A", "B", "B"]))
    assert trimmed(cap_list(1, at=at_path), status) == nested(place, items("ac", type=["A", "B"]))
    by_nothing = dedupe("Last", ["kind"], at=at_path)
    same_kind = items("abc", type=["A", "B", "B"], kind=[1, 1, 1])
    assert trimmed(by_nothing, nested(place, same_kind)) == nested(place, [same_kind[0], same_kind[2]])


@pytest.mark.parametrize(
    ("place", "at_path"),
    [
        pytest.param("history", "status.history", id="another key"),
        pytest.param("conditionsHistory", "status.conditionsHistory", id="a key that begins with it"),
        pytest.param("conditions.a.b", "status.conditions.a.b", id="two levels below such a key"),
    ],
)
def test_other_lists_lose_whole_types(place: str, at_path: str) -> None:
    status = nested(place, items("abc", type=["A", "B", "B"]))
    assert trimmed(cap_list(1, at=at_path), status) == nested(place, items("c", type=["B"]))


def test_a_step_of_the_same_policy_declares_conditions() -> None:
    history = items("abc", type=["A", "B", "B"])
    both = policy(cap_list(1), cap_conditions(9, "status.history"))
    assert trimmed(both, {"history": history}) == {"history": [history[0], history[2]]}


def test_conditions_inside_an_item_go_with_it() -> None:
    history = [{"conditions": [{"type": "A"}]}, {"conditions": [{"type": "B"}]}]
    assert kept(cap_list(1), history) == history[1:]


def test_an_emptied_list_stays_a_list() -> None:
    assert trimmed(cap_list(0), {"history": [1, 2]}) == {"history": []}


# --- dedupe ----------------------------------------------------------------------------------------------------------


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
    all_gone = decide(cap_list(0), {"history": items("abc")})
    assert all_gone.policies[0].bytes_removed == all_gone.bytes_before - all_gone.bytes_after


@pytest.mark.parametrize("step", [cap_list(1), dedupe("First", ["k"])])
def test_leaves_a_list_that_an_applier_shares(step: CapList | Dedupe) -> None:
    owned: Json = {"f:status": {"f:history": {}}}
    managed = [entry("same", owned, "Apply"), entry("same", owned)]
    status = {"history": items("ab", k=[1, 1])}
    decision = judge(step, write(custom_resource(status, managed=managed)))
    assert (decision.outcome, decision.reason, decision.patch) == (Outcome.UNCHANGED, Reason.CO_OWNED, ())


def test_an_item_of_another_type_that_moves_to_the_first_place_keeps_its_type_in_the_list() -> None:
    items = [
        {"type": "A", "reason": "R", "lastTransitionTime": "2026-01-01T00:00:00Z"},
        {"type": "A", "reason": "S", "lastTransitionTime": "2026-01-01T00:00:01Z"},
        {"type": "B", "reason": "R", "lastTransitionTime": "2026-01-01T00:00:02Z"},
    ]
    step = dedupe("Newest", ["reason"], "status.conditions", position="First")
    assert kept(step, items, "conditions") == [items[2], items[1]]
