"""``capConditions``: which conditions go, and which stay whatever happens."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from admission.engine.decision import Outcome, Reason
from admission.engine.steps import CapConditions
from tests.engine.build import (
    Json,
    at,
    cap_conditions,
    custom_resource,
    decide,
    entry,
    judge,
    kept,
    policy,
    trimmed,
    write,
)


def condition(name: str, type: Json = "Ready", **fields: Json) -> dict[str, Json]:
    """A condition that is known by its name in these tests."""
    return {"name": name, "type": type} | fields


def timed(*minutes: tuple[str, str, int]) -> list[dict[str, Json]]:
    return [condition(name, type, lastTransitionTime=at(minute)) for name, type, minute in minutes]


def names(items: Sequence[Json]) -> str:
    return " ".join(item["name"] if isinstance(item, dict) else str(item) for item in items)


@pytest.mark.parametrize(
    ("items", "step", "stays"),
    [
        pytest.param(
            [("a1", "A", 1), ("a2", "A", 2), ("b1", "B", 0)], cap_conditions(2), "a2 b1", id="a duplicate goes"
        ),
        pytest.param(
            [("a2", "A", 2), ("a1", "A", 1), ("b1", "B", 0)], cap_conditions(2), "a2 b1", id="newest at front"
        ),
        pytest.param(
            [("a1", "A", 1), ("a2", "A", 2), ("a3", "A", 3)], cap_conditions(3), "a1 a2 a3", id="not above max"
        ),
        pytest.param(
            [("b1", "B", 5), ("a1", "A", 9), ("a2", "A", 8), ("b2", "B", 7)],
            cap_conditions(3),
            "a1 a2 b2",
            id="the oldest of all types goes first",
        ),
        pytest.param(
            [("a1", "A", 1), ("b1", "B", 2), ("c1", "C", 3)],
            cap_conditions(1),
            "a1 b1 c1",
            id="the newest of every type stays even above max",
        ),
        pytest.param(
            [("a1", "A", 1), ("b1", "B", 2), ("a2", "A", 3)],
            cap_conditions(1),
            "b1 a2",
            id="what may go goes when max cannot be reached",
        ),
        pytest.param(
            [("a1", "A", 1), ("b1", "B", 2), ("c1", "C", 3), ("a2", "A", 4)],
            cap_conditions(2, keep=["A"]),
            "c1 a2",
            id="types that need not stay go in one age order with duplicates",
        ),
        pytest.param(
            [("a1", "A", 1), ("b1", "B", 2), ("c1", "C", 3)],
            cap_conditions(1, keep=["A"]),
            "a1",
            id="an old type that must stay outlives newer ones that need not",
        ),
        pytest.param(
            [("a1", "A", 1), ("b1", "B", 2), ("c1", "C", 3)],
            cap_conditions(1, keep=["A", "B"]),
            "a1 b1",
            id="types that must stay exceed max alone",
        ),
        pytest.param(
            [("a1", "A", 1), ("b1", "B", 2)],
            cap_conditions(1, keep=[]),
            "b1",
            id="with no type to keep the newest stays",
        ),
        pytest.param(
            [("a1", "A", 5), ("a2", "A", 5), ("a3", "A", 5)],
            cap_conditions(1),
            "a3",
            id="of equal times the later position is newer",
        ),
        pytest.param([("a1", "A", 5), ("b1", "B", 5)], cap_conditions(0), "a1 b1", id="even with max 0"),
    ],
)
def test_removes_the_oldest_surplus(items: list[tuple[str, str, int]], step: CapConditions, stays: str) -> None:
    assert names(kept(step, timed(*items), "conditions")) == stays


@pytest.mark.parametrize(
    "unknown",
    [
        pytest.param({}, id="absent"),
        pytest.param({"lastTransitionTime": None}, id="null"),
        pytest.param({"lastTransitionTime": ""}, id="empty"),
        pytest.param({"lastTransitionTime": "0001-01-01T00:00:00Z"}, id="unset"),
        pytest.param({"lastTransitionTime": "yesterday"}, id="no time"),
        pytest.param({"lastTransitionTime": 1767225600}, id="a number"),
        pytest.param({"lastTransitionTime": {}}, id="an object"),
    ],
)
def test_position_decides_for_the_whole_list_when_one_time_is_unknown(unknown: dict[str, Json]) -> None:
    known = timed(("a1", "A", 9), ("a2", "A", 8), ("a3", "A", 7))
    assert names(kept(cap_conditions(2), known, "conditions")) == "a1 a2"
    assert names(kept(cap_conditions(3), [*known, condition("b1", "B", **unknown)], "conditions")) == "a2 a3 b1"


def test_an_item_without_a_type_neither_counts_nor_goes_nor_has_a_time_that_matters() -> None:
    strangers: list[Json] = [
        {"name": "none"},
        condition("null", None),
        condition("number", 7),
        condition("object", {}),
        "text",
        None,
        [],
    ]
    items = [*strangers, *timed(("a1", "A", 9), ("a2", "A", 8))]
    assert kept(cap_conditions(1), items, "conditions") == items[:-1]
    assert kept(cap_conditions(2), items, "conditions") == items


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        pytest.param("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000000001Z", id="nanoseconds"),
        pytest.param("2026-01-01T10:00:00+0200", "2026-01-01T09:00:00Z", id="an offset without a colon"),
        pytest.param("2026-01-01T10:00:00+02:00", "2026-01-01T09:00:00Z", id="an offset"),
        pytest.param("2026-01-01T00:00:00", "2026-01-01T00:00:01Z", id="no zone is UTC"),
        pytest.param("2026-01-01t00:00:00z", "2026-01-01 00:00:01Z", id="lower case and a blank"),
        pytest.param("2025-12-31T23:59:59.999999999Z", "2026-01-01T00:00:00Z", id="a new year"),
        pytest.param("2026-01-01T00:00:00Z", "9999-01-01T00:00:00Z", id="the far future is only compared"),
    ],
)
def test_times_are_compared_as_instants_and_never_rewritten(older: str, newer: str) -> None:
    newer_first = [condition("n", lastTransitionTime=newer), condition("o", lastTransitionTime=older)]
    assert kept(cap_conditions(1), newer_first, "conditions") == newer_first[:1]
    assert kept(cap_conditions(1), newer_first[::-1], "conditions") == newer_first[:1]


@pytest.mark.parametrize(
    ("fields", "stays"),
    [
        pytest.param({"lastTransitionTime": at(9), "lastUpdateTime": at(0)}, "x", id="the transition time first"),
        pytest.param({"lastTransitionTime": None, "lastUpdateTime": at(9)}, "x", id="then the update time"),
        pytest.param({"lastTransitionTime": "?", "lastHeartbeatTime": at(9)}, "x", id="then the heartbeat"),
        pytest.param({"lastHeartBeatTime": at(9)}, "x", id="then the other heartbeat"),
        pytest.param({"lastProbeTime": at(9)}, "x", id="then the probe"),
        pytest.param({"lastProbeTime": at(9), "lastUpdateTime": at(1)}, "y", id="in this order"),
    ],
)
def test_the_first_time_that_parses_counts(fields: dict[str, str], stays: str) -> None:
    items = [condition("x", **fields), condition("y", lastTransitionTime=at(5))]
    assert names(kept(cap_conditions(1), items, "conditions")) == stays


def test_other_time_fields_take_the_place_of_the_default_ones() -> None:
    items = [condition("x", seen=at(9), lastTransitionTime=at(1)), condition("y", seen=at(5), lastTransitionTime=at(2))]
    assert names(kept(cap_conditions(1, times=["seen"]), items, "conditions")) == "x"


def test_another_field_may_hold_the_type() -> None:
    items = [{"name": str(n), "phase": phase, "lastTransitionTime": at(n)} for n, phase in enumerate("PRPR")]
    step = cap_conditions(2, "status.phases", type_field="phase")
    assert names(kept(step, items, "phases")) == "2 3"


def test_the_last_condition_of_a_type_stays_whatever_the_cap_counts_by() -> None:
    items = [
        {"name": "1", "type": "A", "phase": "P", "lastTransitionTime": at(1)},
        {"name": "2", "type": "B", "phase": "P", "lastTransitionTime": at(2)},
        {"name": "3", "type": "B", "phase": "P", "lastTransitionTime": at(3)},
    ]
    assert names(kept(cap_conditions(1, type_field="phase"), items, "conditions")) == "1 3"


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        pytest.param("lastTransitionTime", "2", id="the type is a time too"),
        pytest.param('odd "name"', "2", id="a quoted name"),
        pytest.param("back\\slash", "2", id="a backslash"),
        pytest.param("tab\t", "2", id="a control character"),
    ],
)
def test_any_member_name_can_be_read(field: str, expected: str) -> None:
    items = [{"name": "1", field: at(1)}, {"name": "2", field: at(1)}]
    assert names(kept(cap_conditions(1, type_field=field), items, "conditions")) == expected
    assert names(kept(cap_conditions(1, type_field=field, times=[field]), items, "conditions")) == expected


def test_says_when_the_cap_cannot_be_reached() -> None:
    decision = decide(cap_conditions(1), {"conditions": timed(("a", "A", 1), ("b", "B", 2))})
    assert (decision.outcome, decision.reason) == (Outcome.UNCHANGED, Reason.CAP_UNREACHABLE)
    assert decision.policies[0].steps[0].reason is Reason.CAP_UNREACHABLE
    with_one_more = decide(cap_conditions(1), {"conditions": timed(("a", "A", 1), ("b", "B", 2), ("a2", "A", 3))})
    assert with_one_more.outcome is Outcome.TRIMMED
    assert with_one_more.policies[0].steps[0].reason is Reason.CAP_UNREACHABLE


def test_counts_what_it_removed_and_whether_it_found_its_list() -> None:
    status = {"conditions": timed(("a1", "A", 1), ("a2", "A", 2))}
    step = decide(cap_conditions(1), status).policies[0].steps[0]
    assert (step.step, step.path, step.found, step.items) == ("capConditions", "status.conditions", True, 1)
    assert step.bytes == len('{"lastTransitionTime":"2026-01-01T00:01:00Z","name":"a1","type":"A"},')
    assert not decide(cap_conditions(1, "status.conditons"), status).policies[0].steps[0].found


@pytest.mark.parametrize(
    "conditions",
    [
        pytest.param(None, id="null"),
        pytest.param("text", id="a text"),
        pytest.param({"type": "A"}, id="an object"),
        pytest.param([], id="empty"),
    ],
)
def test_leaves_what_is_no_list_of_conditions(conditions: Json) -> None:
    assert trimmed(cap_conditions(0), {"conditions": conditions}) == {"conditions": conditions}


def test_works_on_every_list_that_a_wildcard_leads_to() -> None:
    items = timed(("a1", "A", 1), ("a2", "A", 2))
    status = {"nodes": {"n1": {"conditions": items}, "n2": {"conditions": items[::-1]}, "n3": {}}}
    nodes = trimmed(cap_conditions(1, "status.nodes.*.conditions"), status)["nodes"]
    assert nodes == {"n1": {"conditions": items[1:]}, "n2": {"conditions": items[1:]}, "n3": {}}


def test_leaves_a_list_that_an_applier_shares() -> None:
    owned: Json = {"f:status": {"f:conditions": {}}}
    managed = [entry("argocd", owned, "Apply"), entry("controller", owned)]
    status = {"conditions": timed(("a1", "A", 1), ("a2", "A", 2))}
    decision = judge(policy(cap_conditions(1)), write(custom_resource(status, managed=managed)))
    assert (decision.outcome, decision.reason, decision.patch) == (Outcome.UNCHANGED, Reason.CO_OWNED, ())
