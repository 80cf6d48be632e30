"""``capMap``."""

from __future__ import annotations

import pytest

from admission.engine.decision import Op, Outcome, Reason
from admission.engine.steps import CapMap
from tests.engine.build import (
    Json,
    after,
    at,
    cap_conditions,
    cap_map,
    custom_resource,
    decide,
    entry,
    judge,
    policy,
    restore_times,
    trimmed,
    truncate,
    write,
)


def left(step: CapMap, members: dict[str, Json]) -> list[str]:
    """The keys that stay."""
    return list(trimmed(step, {"nodes": members})["nodes"])


def fields(name: str, **values: Json) -> dict[str, Json]:
    """Entries with one field each; ``...`` leaves it out."""
    return {key: {} if value is ... else {name: value} for key, value in values.items()}


DONE_AND_RUNNING = {"exec-1": "RUNNING", "exec-2": "DONE", "exec-9": "DONE", "exec-10": "DONE", "exec-11": "RUNNING"}


@pytest.mark.parametrize(
    ("step", "stays"),
    [
        pytest.param(cap_map(2), ["exec-10", "exec-11"], id="numbers in keys count as numbers"),
        pytest.param(cap_map(5), list(DONE_AND_RUNNING), id="exactly max"),
        pytest.param(cap_map(0), [], id="none at all"),
        pytest.param(
            cap_map(3, where=[". In DONE"]), ["exec-1", "exec-10", "exec-11"], id="a running executor is never evicted"
        ),
        pytest.param(cap_map(1, where=[". In DONE"]), ["exec-1", "exec-11"], id="what never goes may exceed max"),
        pytest.param(cap_map(4, where=[". In DONE", ". NotIn DONE"]), list(DONE_AND_RUNNING), id="all must hold"),
        pytest.param(cap_map(1, where=["gone Exists"]), list(DONE_AND_RUNNING), id="nothing may go"),
    ],
)
def test_evicts_the_oldest_that_may_go(step: CapMap, stays: list[str]) -> None:
    assert sorted(left(step, DONE_AND_RUNNING)) == sorted(stays)


@pytest.mark.parametrize(
    ("step", "entries", "stays"),
    [
        pytest.param(cap_map(1, "t Time"), fields("t", a=at(3), b=at(1), c=at(2)), "a", id="by time"),
        pytest.param(cap_map(1, "t Time"), fields("t", a=at(3), b=..., c=at(2)), "c", id="one unknown: by key"),
        pytest.param(cap_map(1, "t Time"), fields("t", a=at(3), b=None, c=at(2)), "c", id="null is an unknown time"),
        pytest.param(
            cap_map(2, "t Time", where=["t Exists"]),
            fields("t", a=at(3), b=..., c=at(2)),
            "ab",
            id="the time of what never goes is not compared",
        ),
        pytest.param(cap_map(1, "t Time"), fields("t", a10=at(3), a9=at(3), a8=at(2)), "a10", id="ties by natural key"),
        pytest.param(cap_map(2, "n Number"), fields("n", a="10", b=9, c=..., d="x"), "ab", id="no number: the oldest"),
        pytest.param(
            cap_map(3, "n Number"), fields("n", a=1, b=..., d=..., c=...), "acd", id="the lower keys of those"
        ),
        pytest.param(cap_map(1, "n Natural"), fields("n", a="v10", b="v9"), "a", id="by a text"),
        pytest.param(cap_map(1, ". Number"), {"a": 7, "b": 6, "c": 7.0}, "c", id="by the value itself"),
        pytest.param(cap_map(1, "x.y Number"), {"a": {"x": {"y": 2}}, "b": {"x": {"y": 1}}}, "a", id="further below"),
    ],
)
def test_the_lowest_is_the_oldest(step: CapMap, entries: dict[str, Json], stays: str) -> None:
    assert "".join(left(step, entries)) == stays


@pytest.mark.parametrize("value", [None, [], ["a", "b"], "text", 7, {}])
def test_what_is_no_map_or_has_room_is_left_alone(value: Json) -> None:
    assert decide(cap_map(1), {"nodes": value}).outcome is Outcome.UNCHANGED


def test_entries_of_every_type_count_null_too_and_stay_as_they_were_written() -> None:
    submitted = b'{"status":{"nodes":{"a":1,"b":null,"c":{"x":1.0},"d":[9007199254740993,1e3]}}}'
    decision = judge(cap_map(2), write(submitted))
    assert [op.path for op in decision.patch] == ["/status/nodes/a", "/status/nodes/b"]


def test_every_map_that_a_wildcard_leads_to_is_trimmed_by_itself() -> None:
    nodes = {"x": {"log": {"1": 0, "2": 0, "10": 0}}, "y": {"log": {"7": 0}}, "z": {"log": [1, 2, 3]}}
    assert trimmed(cap_map(2, at="status.nodes.*.log"), {"nodes": nodes}) == {
        "nodes": nodes | {"x": {"log": {"2": 0, "10": 0}}}
    }


def test_says_what_it_found_and_how_many_bytes_are_saved() -> None:
    decision = decide(cap_map(2), {"nodes": DONE_AND_RUNNING})
    (step,) = decision.policies[0].steps
    assert (step.found, step.items, step.reason) == (True, 3, Reason.NONE)
    assert step.bytes == decision.bytes_before - decision.bytes_after > 0
    all_gone = decide(cap_map(0), {"nodes": DONE_AND_RUNNING})
    assert all_gone.policies[0].bytes_removed == all_gone.bytes_before - all_gone.bytes_after
    assert decide(cap_map(0), {"phase": "x"}).policies[0].steps[0].found is False
    assert decide(cap_map(0), {"nodes": []}).policies[0].steps[0].found is False
    assert decide(cap_map(0), {"nodes": {}}).policies[0].steps[0].found is True


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        pytest.param(cap_map(3, where=[". In DONE"]), Reason.NONE, id="it fits"),
        pytest.param(cap_map(1, where=[". In DONE"]), Reason.CAP_UNREACHABLE, id="something went, not enough"),
        pytest.param(cap_map(1, where=[". In GONE"]), Reason.CAP_UNREACHABLE, id="nothing went"),
    ],
)
def test_a_cap_that_cannot_be_reached_is_told(step: CapMap, reason: Reason) -> None:
    assert decide(step, {"nodes": DONE_AND_RUNNING}).policies[0].steps[0].reason is reason


def test_few_evictions_are_removals_and_many_are_one_replacement() -> None:
    long = {f"e{number}": "x" * 60 for number in range(10, 20)}
    assert [op.op for op in decide(cap_map(8), {"nodes": long}).patch] == ["remove", "remove"]
    (one,) = decide(cap_map(1), {"nodes": long}).patch
    assert one == Op("replace", "/status/nodes", b'{"e19":"' + b"x" * 60 + b'"}')


def test_keys_are_escaped_in_pointers() -> None:
    assert [op.path for op in decide(cap_map(1), {"nodes": {"a/b~c": 1, "b": 2}}).patch] == ["/status/nodes/a~1b~0c"]


# --- what never goes -------------------------------------------------------------------------------------------------

READY: Json = [{"type": "Ready"}]


def test_a_list_of_conditions_never_goes_on_its_own_and_goes_with_what_holds_it() -> None:
    nodes = {"a": 1, "conditions": READY, "d": 2}
    assert trimmed(cap_map(1), {"nodes": nodes}) == {"nodes": {"conditions": READY}}
    assert trimmed(cap_map(1), {"nodes": {"a": nodes, "b": nodes}}) == {"nodes": {"b": nodes}}
    by_name = {"a": READY, "b": {}}
    assert trimmed(cap_map(1, at="status.nodeConditions"), {"nodeConditions": by_name}) == {
        "nodeConditions": {"a": READY}
    }
    declared = policy(cap_map(1), cap_conditions(9, "status.nodes.*"))
    assert trimmed(declared, {"nodes": {"a": READY, "b": READY}}) == {"nodes": {"a": READY, "b": READY}}
    assert trimmed(cap_map(1), {"nodes": {"a": READY, "b": READY}}) == {"nodes": {"b": READY}}


def test_what_machines_read_in_a_condition_never_goes() -> None:
    item = {"type": "A", "status": "True", "reason": "R", "observedGeneration": 1, "message": "m", "x": 1}
    stays = {name: item[name] for name in ("type", "status", "reason", "observedGeneration")}
    assert trimmed(cap_map(0, at="status.conditions[*]"), {"conditions": [item]}) == {"conditions": [stays]}
    declared = policy(cap_map(0, at="status.history[*]"), restore_times("status.history"))
    assert trimmed(declared, {"history": [item]}) == {"history": [stays]}


def test_what_tells_the_items_of_a_list_apart_never_goes() -> None:
    managed = [entry("one", {"f:status": {"f:history": {'k:{"id":1}': {".": {}, "f:id": {}}}}})]
    submitted = custom_resource({"history": [{"id": 1, "a": 2, "z": 3}]}, managed=managed)
    assert after(cap_map(0, at="status.history[*]"), submitted)["status"] == {"history": [{"id": 1}]}


# --- who owns it -----------------------------------------------------------------------------------------------------


def test_what_managers_own_of_evicted_entries_is_pruned() -> None:
    own: Json = {"f:status": {"f:nodes": {".": {}, "f:exec-1": {}, "f:exec-2": {".": {}, "f:x": {}}, "f:exec-3": {}}}}
    other: Json = {"f:status": {"f:nodes": {"f:exec-1": {}}, "f:phase": {}}}
    status = {"nodes": {"exec-1": "a", "exec-2": {"x": 1}, "exec-3": "b"}, "phase": "x"}
    managed = [entry("one", own), entry("two", other)]
    result = after(cap_map(1), custom_resource(status, managed=managed))
    assert result["status"] == {"nodes": {"exec-3": "b"}, "phase": "x"}
    assert [one["fieldsV1"] for one in result["metadata"]["managedFields"]] == [
        {"f:status": {"f:nodes": {".": {}, "f:exec-3": {}}}},
        {"f:status": {"f:phase": {}}},
    ]


@pytest.mark.parametrize(
    ("owned", "reason"),
    [
        pytest.param({"f:nodes": {}}, Reason.CO_OWNED, id="the map is one leaf"),
        pytest.param({"f:nodes": {".": {}, "f:a": {}, "f:b": {}}}, Reason.NONE, id="every entry is its own"),
        pytest.param({}, Reason.CO_OWNED, id="all of the status is one leaf"),
    ],
)
def test_leaves_a_map_that_an_applier_shares_as_one_leaf(owned: Json, reason: Reason) -> None:
    managed = [entry("one", {"f:status": owned}, "Apply"), entry("two", {"f:status": owned})]
    decision = judge(cap_map(1), write(custom_resource({"nodes": {"a": 1, "b": 2}}, managed=managed)))
    assert decision.policies[0].steps[0].reason is reason
    assert bool(decision.patch) is (reason is Reason.NONE)


def test_the_same_untrimmed_map_again_is_no_write() -> None:
    own: Json = {"f:status": {"f:nodes": {f"f:{name}": {} for name in DONE_AND_RUNNING}}}
    submitted = custom_resource({"nodes": DONE_AND_RUNNING}, managed=[entry("one", own)])
    stored = after(cap_map(2), submitted)
    decision = judge(cap_map(2), write(submitted, stored))
    assert (decision.outcome, decision.reason) == (Outcome.SUPPRESSED, Reason.EQUAL_AFTER_TRIMMING)


def test_two_levels_and_cuts_in_the_entries_settle_together() -> None:
    both = policy(cap_map(2), truncate(40, "status.nodes.*.m"), cap_map(1, where=["m Exists"]))
    nodes = {f"e{number}": {"m": "m" * 90} for number in range(5)}
    (name, stays), *none = trimmed(both, {"nodes": nodes})["nodes"].items()
    assert (name, len(stays["m"].encode()) <= 40, none) == ("e4", True, [])
