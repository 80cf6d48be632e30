"""``capList``, and what all steps for lists hold to."""

from __future__ import annotations

import pytest

from admission.engine.decision import Outcome, Reason
from admission.engine.steps import CapList, Dedupe
from tests.engine.build import (
    Json,
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
from tests.engine.steps.sample import ids, items

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


def test_says_how_many_bytes_are_saved_when_all_go() -> None:
    decision = decide(cap_list(0), {"history": items("abc")})
    assert decision.policies[0].bytes_removed == decision.bytes_before - decision.bytes_after


@pytest.mark.parametrize("step", [cap_list(1), dedupe("First", ["k"])])
def test_leaves_a_list_that_an_applier_shares(step: CapList | Dedupe) -> None:
    owned: Json = {"f:status": {"f:history": {}}}
    managed = [entry("same", owned, "Apply"), entry("same", owned)]
    status = {"history": items("ab", k=[1, 1])}
    decision = judge(step, write(custom_resource(status, managed=managed)))
    assert (decision.outcome, decision.reason, decision.patch) == (Outcome.UNCHANGED, Reason.CO_OWNED, ())
