"""``drop``: fields go, and nothing that a machine reads."""

from __future__ import annotations

import pytest

from admission.engine.decision import Op, Outcome, Reason
from tests.engine.build import (
    Json,
    cap_conditions,
    cap_list,
    custom_resource,
    decide,
    dedupe,
    drop,
    entry,
    exact,
    judge,
    patched,
    plain,
    policy,
    trimmed,
    truncate,
    write,
)

READY = {"type": "Ready", "status": "True", "reason": "Up", "observedGeneration": 3, "message": "m", "log": ["l"] * 9}


@pytest.mark.parametrize(
    ("at", "status", "left"),
    [
        pytest.param("status.log", {"log": "x", "phase": "Up"}, {"phase": "Up"}, id="a text"),
        pytest.param("status.log", {"log": {"a": [1]}, "phase": "Up"}, {"phase": "Up"}, id="an object"),
        pytest.param("status.log", {"log": [1, 2], "phase": "Up"}, {"phase": "Up"}, id="a list"),
        pytest.param("status.log", {"log": None, "phase": "Up"}, {"phase": "Up"}, id="null is a value that was sent"),
        pytest.param("status.log", {"log": 7}, {}, id="the only field"),
        pytest.param("status.log", {"phase": "Up"}, {"phase": "Up"}, id="a field that is not there"),
        pytest.param("status.a.log", {"a": {"log": 1, "b": 2}}, {"a": {"b": 2}}, id="deep inside"),
        pytest.param("status.a.log", {"a": {"log": 1}}, {"a": {}}, id="an object that is emptied stays"),
        pytest.param("status.a.log", {"a": [{"log": 1}]}, {"a": [{"log": 1}]}, id="another type on the way"),
        pytest.param("status.a[*].log", {"a": [{"log": 1}, 2, {"b": 3}]}, {"a": [{}, 2, {"b": 3}]}, id="in every item"),
        pytest.param("status.a[-1].log", {"a": [{"log": 1}] * 2}, {"a": [{"log": 1}, {}]}, id="in one item"),
        pytest.param("status.a.*", {"a": {"x": 1, "y/z": 2}, "b": 3}, {"a": {}, "b": 3}, id="every entry of a map"),
        pytest.param("status.a.*.log", {"a": {"x": {"log": 1}, "y": 2}}, {"a": {"x": {}, "y": 2}}, id="in every entry"),
        pytest.param("status['a.b/c']", {"a.b/c": 1, "d": 2}, {"d": 2}, id="an odd name"),
        pytest.param("status.conditions[*].log", {"conditions": [READY]}, None, id="a field of a condition"),
    ],
)
def test_removes_what_its_path_leads_to(at: str, status: Json, left: Json) -> None:
    if left is None:
        left = {"conditions": [{name: value for name, value in READY.items() if name != "log"}]}
    assert trimmed(drop(at), status) == left


def test_a_dropped_field_is_one_operation() -> None:
    status = {"log": {"lines": ["l"] * 99}, "a/b": {"~": 1, "c": 2}}
    decision = decide(drop("status.log", "status['a/b']['~']", "status.missing"), status)
    assert decision.patch == (Op("remove", "/status/log"), Op("remove", "/status/a~1b/~0"))
    report = decision.policies[0].steps[0]
    assert (report.items, report.bytes) == (2, decision.bytes_before - decision.bytes_after)
    assert report.path == "status.log, status.a/b.~, status.missing"


@pytest.mark.parametrize("status", [{"<log>": "é<", "b": 1}, {"<log>": "é<"}, {"<log>": None, "a": {"<": 1}}])
def test_says_how_many_bytes_a_field_took(status: Json) -> None:
    decision = decide(drop("status['<log>']"), status)
    assert decision.policies[0].steps[0].bytes == decision.bytes_before - decision.bytes_after > 0


@pytest.mark.parametrize(
    ("at", "found"), [("status.log", True), ("status.lag", False), ("status.*.x", True), ("status.a[*].b", False)]
)
def test_tells_whether_its_path_leads_anywhere(at: str, found: bool) -> None:
    assert decide(drop(at), {"log": {"x": 1}, "a": [1]}).policies[0].steps[0].found is found


# --- what stays ------------------------------------------------------------------------------------------------------


def test_what_machines_read_in_a_condition_stays_where_a_wildcard_leads_to_it() -> None:
    left = {name: READY[name] for name in ("type", "status", "reason", "observedGeneration")}
    assert trimmed(drop("status.conditions[*].*"), {"conditions": [READY]}) == {"conditions": [left]}
    assert trimmed(drop("status.history[*].*"), {"history": [READY]}) == {"history": [{}]}
    declared = policy(cap_conditions(9, "status.history"), drop("status.history[*].*"))
    assert trimmed(declared, {"history": [READY]}) == {"history": [left]}


def test_a_list_of_conditions_stays_where_a_wildcard_leads_to_it() -> None:
    status = {"conditions": [READY], "siteConditions": [], "log": "l", "clusterConditions": None}
    assert trimmed(drop("status.*"), status) == {"conditions": [READY], "siteConditions": []}
    declared = policy(cap_conditions(9, "status.state"), drop("status.*"))
    assert trimmed(declared, {"state": [READY], "log": "l"}) == {"state": [READY]}
    nested = {"nodeConditions": {"a": [READY], "b": "l"}}
    assert trimmed(drop("status.*.*"), nested) == {"nodeConditions": {"a": [READY]}}


def test_conditions_go_with_what_holds_them() -> None:
    status = {"nodes": {"a": {"conditions": [READY]}}, "nodeConditions": {"a": [READY]}, "phase": "Up"}
    assert trimmed(drop("status.nodes", "status.nodeConditions"), status) == {"phase": "Up"}


def test_what_tells_the_items_of_a_list_apart_stays() -> None:
    items = [{"id": 1, "log": "l"}, {"id": 2, "log": "m"}]
    keyed: Json = {f'k:{{"id":{item["id"]}}}': {".": {}, "f:id": {}, "f:log": {}} for item in items}
    managed = [entry("controller", {"f:status": {"f:history": keyed}})]
    attributes = write(custom_resource({"history": items}, managed=managed))
    left = plain(patched(attributes, judge(drop("status.history[*].*"), attributes)))
    assert left["status"] == {"history": [{"id": 1}, {"id": 2}]}
    kept: Json = {f'k:{{"id":{number}}}': {".": {}, "f:id": {}} for number in (1, 2)}
    assert left["metadata"]["managedFields"][0]["fieldsV1"] == {"f:status": {"f:history": kept}}


def test_items_of_a_set_stay_as_they_are() -> None:
    items = [{"id": 1, "log": "l"}]
    managed = [entry("controller", {"f:status": {"f:history": {'v:{"id":1,"log":"l"}': {}}}})]
    decision = judge(drop("status.history[*].log"), write(custom_resource({"history": items}, managed=managed)))
    assert decision.patch == ()


# --- together with other steps ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_fields_go_from_items_of_a_list_that_shrinks_and_is_reordered(steps: tuple[int, ...]) -> None:
    items = [{"id": at % 3, "log": "l" * at, "m": "m" * 9} for at in range(9)]
    all_steps = (drop("status.history[*].log"), dedupe("Last", ["id"], position="First"), cap_list(2))
    left = trimmed(policy(*(all_steps[at] for at in steps)), {"history": items})["history"]
    assert left == [{"id": 1, "m": "m" * 9}, {"id": 2, "m": "m" * 9}]


def test_a_field_may_be_cut_first_and_dropped_then() -> None:
    decision = decide(
        policy(truncate(10, "status.log", "status.a.m", marker="…"), drop("status.log", "status.a")),
        {"log": "l" * 99, "a": {"m": "m" * 99}, "phase": "Up"},
    )
    assert decision.patch == (Op("remove", "/status/log"), Op("remove", "/status/a"))


def test_one_policy_may_drop_what_another_has_trimmed() -> None:
    first, second = policy(cap_list(1), name="a"), policy(drop("status.history"), name="b")
    decision = decide([first, second], {"history": [1, 2, 3], "phase": "Up"})
    assert decision.patch == (Op("remove", "/status/history"),)


# --- ownership -------------------------------------------------------------------------------------------------------


def test_the_ownership_of_a_dropped_field_goes_with_it() -> None:
    owned: Json = {"f:status": {".": {}, "f:log": {".": {}, "f:a": {}}, "f:phase": {}, "f:x": {".": {}, "f:log": {}}}}
    managed = [entry("controller", owned), entry("other", {"f:status": {"f:log": {"f:b": {}}}})]
    status = {"log": {"a": 1, "b": 2}, "phase": "Up", "x": {"log": 1}}
    attributes = write(custom_resource(status, managed=managed))
    after = plain(patched(attributes, judge(drop("status.log", "status.x.log"), attributes)))
    assert [one["fieldsV1"] for one in after["metadata"]["managedFields"]] == [
        {"f:status": {".": {}, "f:phase": {}, "f:x": {}}},
        {},
    ]


@pytest.mark.parametrize(
    ("operations", "stays"), [(("Apply", "Update"), True), (("Apply", "Apply"), True), (("Update", "Update"), False)]
)
def test_a_field_that_an_applier_shares_stays(operations: tuple[str, str], stays: bool) -> None:
    managed = [entry(f"m{at}", {"f:status": {"f:log": {}}}, operation) for at, operation in enumerate(operations)]
    decision = judge(drop("status.log"), write(custom_resource({"log": "l", "phase": "x"}, managed=managed)))
    assert (decision.patch == ()) is stays
    assert (decision.reason is Reason.CO_OWNED) is stays


def test_a_controller_that_writes_a_dropped_field_again_and_again_writes_nothing() -> None:
    owned: Json = {"f:status": {"f:phase": {}}}
    stored = custom_resource({"phase": "Up"}, managed=[entry("controller", owned)])
    again = [entry("controller", {"f:status": {"f:phase": {}, "f:log": {}}}, time="2026-01-01T03:00:00Z")]
    attributes = write(custom_resource({"phase": "Up", "log": "l"}, managed=again), stored)
    decision = judge(drop("status.log"), attributes)
    assert (decision.outcome, decision.reason) == (Outcome.SUPPRESSED, Reason.EQUAL_AFTER_TRIMMING)
    assert patched(attributes, decision) == exact(attributes.stored or "")
