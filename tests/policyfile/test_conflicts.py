"""What is wrong between policies: requirements on what is cut, equal names."""

from typing import Any

import pytest

from tests.policyfile.sample import bent, read, told

MESSAGE = "status.conditions[*].message"
ASK = "which could change the answer; ask for another"


def truncating(path: str, name: str = "cut", **spec: Any) -> dict[str, Any]:
    step = {"truncate": {"paths": [path], "maxBytes": 1000}}
    return bent(
        ("metadata.name", name), ("spec.trim", [step]), *((f"spec.{key}", value) for key, value in spec.items())
    )


def asking(field: str, name: str = "asks", **spec: Any) -> dict[str, Any]:
    requirement = {"field": field, "operator": "Exists"}
    bends = ((f"spec.{key}", value) for key, value in spec.items())
    return bent(("metadata.name", name), ("spec.match.when", [requirement]), *bends)


# --- requirements on what is cut -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "cut"),
    [
        pytest.param("status.message", "status.message", id="the same path"),
        pytest.param("status.parts.a.message", "status.parts.*.message", id="a map's wildcard in the step"),
        pytest.param("status.parts.*.message", "status.parts.a.message", id="a map's wildcard in the requirement"),
        pytest.param(MESSAGE, "status.conditions[-1].message", id="a list's wildcard and an index"),
        pytest.param("status.history[0].x", "status.history[-1].x", id="the first may be the last"),
        pytest.param("status.history[0].x", "status.history[:1].x", id="a slice"),
        pytest.param("status.message.inside", "status.message", id="below what is cut"),
    ],
)
def test_a_requirement_on_what_a_step_cuts_is_refused(field: str, cut: str) -> None:
    assert told(asking(field, trim=[{"truncate": {"paths": [cut], "maxBytes": 1000}}])) == [
        f"spec.match.when[0].field: {field} is changed by spec.trim[0].truncate, {ASK}"
    ]


@pytest.mark.parametrize(
    ("field", "dropped"),
    [
        pytest.param("status.log", "status.log", id="the same path"),
        pytest.param("status.log.size", "status.log", id="below what is dropped"),
        pytest.param("status.phase", "status.*", id="a map's wildcard"),
        pytest.param("status.history[0].id", "status.history[*].*", id="every field of every item"),
    ],
)
def test_a_requirement_on_what_a_step_drops_is_refused(field: str, dropped: str) -> None:
    message = f"{field} is changed by spec.trim[0].drop, {ASK}"
    drops = [{"drop": {"paths": [dropped]}}]
    assert told(asking(field, trim=drops)) == [f"spec.match.when[0].field: {message}"]
    elsewhere = bent(("metadata.name", "drops"), ("spec.trim", drops))
    (problem,) = told(asking(field), elsewhere)
    assert problem.startswith(f'spec.match.when[0].field: {field} is changed by spec.trim[0].drop of "drops" (')


@pytest.mark.parametrize(
    ("field", "cut"),
    [
        pytest.param("status.phase", "status.message", id="another field"),
        pytest.param("status.history[0].x", "status.history[1].x", id="another item"),
        pytest.param("status.history", "status.history[*].x", id="around what is cut"),
        pytest.param("status.a[*].x", "status.a.*.x", id="a list is no map"),
    ],
)
def test_a_requirement_on_something_else_is_fine(field: str, cut: str) -> None:
    assert told(asking(field, trim=[{"truncate": {"paths": [cut], "maxBytes": 1000}}])) == []


@pytest.mark.parametrize(
    ("change", "told_of"),
    [
        pytest.param({"drop": {"paths": ["status.history[*].state"]}}, "drop", id="dropped"),
        pytest.param({"truncate": {"paths": ["status.history[*].state"], "maxBytes": 40}}, "truncate", id="cut"),
        pytest.param({"drop": {"paths": ["status.history[*].note"]}}, None, id="another field"),
        pytest.param({"drop": {"paths": ["status.other[*].state"]}}, None, id="of another list"),
    ],
)
def test_a_pin_asks_for_a_field_of_the_items(change: dict[str, Any], told_of: str | None) -> None:
    pin = {"all": [{"field": "state", "operator": "In", "values": ["Deployed"]}]}
    cap = {"capList": {"path": "status.history", "max": 3, "order": "NewestLast", "keepWhere": [pin]}}
    place = "spec.trim[0].capList.keepWhere[0].all[0].field"
    message = f"{place}: status.history[*].state is changed by spec.trim[1].{told_of}, {ASK}"
    assert told(bent(("spec.trim", [cap, change]))) == ([] if told_of is None else [message])


@pytest.mark.parametrize(
    ("field", "cut", "told_of"),
    [
        pytest.param("state", "status.nodes.*.state", True, id="a field of every entry"),
        pytest.param("state", "status.nodes.a.state", True, id="of one entry"),
        pytest.param(".", "status.nodes.*", True, id="the entries themselves"),
        pytest.param("state", "status.nodes.*.note", False, id="another field"),
    ],
)
def test_an_eviction_asks_for_a_field_of_the_entries(field: str, cut: str, told_of: bool) -> None:
    asked = {"field": field, "operator": "In", "values": ["Done"]}
    cap = {"capMap": {"path": "status.nodes", "max": 3, "evictWhere": [asked]}}
    steps = [cap, {"truncate": {"paths": [cut], "maxBytes": 40}}]
    from_the_object_on = "status.nodes.*" if field == "." else f"status.nodes.*.{field}"
    place = "spec.trim[0].capMap.evictWhere[0].field"
    message = f"{place}: {from_the_object_on} is changed by spec.trim[1].truncate, {ASK}"
    assert told(bent(("spec.trim", steps))) == ([message] if told_of else [])


def test_the_when_of_a_step_counts_as_well() -> None:
    step = {"truncate": {"paths": [MESSAGE], "maxBytes": 1000}, "when": [{"field": MESSAGE, "operator": "Exists"}]}
    assert told(bent(("spec.trim", [step]))) == [
        f"spec.trim[0].when[0].field: {MESSAGE} is changed by spec.trim[0].truncate, {ASK}"
    ]


def test_another_policy_of_the_same_resource_counts_as_well() -> None:
    (problem,) = read(asking("status.message"), truncating("status.message")).problems
    assert str(problem) == (
        "<stdin>:1: spec.match.when[0].field: status.message is changed by spec.trim[0].truncate of "
        '"cut" (<stdin>:3), which could change the answer; ask for another'
    )


@pytest.mark.parametrize(
    ("rule", "shared"),
    [
        pytest.param({"resources": ["widgets/status"]}, True, id="the same"),
        pytest.param({"resources": ["*/status"]}, True, id="every status"),
        pytest.param({"resources": ["gadgets/status"]}, False, id="another resource"),
        pytest.param({"resources": ["widgets"]}, False, id="the main resource"),
        pytest.param({"apiGroups": ["other.com"]}, False, id="another group"),
        pytest.param({"apiVersions": ["v1"]}, True, id="one version of all"),
    ],
)
def test_only_policies_that_share_a_resource_meet(rule: dict[str, Any], shared: bool) -> None:
    resources = [{"apiGroups": ["example.com"], "resources": ["widgets/status"]} | rule]
    other = truncating("status.message", match={"resources": resources})
    assert bool(told(asking("status.message"), other)) is shared


def test_versions_that_differ_never_meet() -> None:
    def of(version: str) -> dict[str, Any]:
        return {"apiGroups": ["example.com"], "resources": ["widgets/status"], "apiVersions": [version]}

    requirement = [{"field": "status.message", "operator": "Exists"}]
    one = asking("status.message", match={"resources": [of("v1")], "when": requirement})
    assert told(one, truncating("status.message", match={"resources": [of("v2")]})) == []
    assert len(told(one, truncating("status.message", match={"resources": [of("v1")]}))) == 1


def test_a_policy_that_is_off_stands_in_nobodys_way() -> None:
    assert told(asking("status.message"), truncating("status.message", mode="Off")) == []
    assert told(asking("status.message", mode="Off"), truncating("status.message")) == []


# --- names -----------------------------------------------------------------------------------------------------------


def test_two_policies_of_one_name_are_told_with_both_places() -> None:
    loaded = read(bent(), bent(("metadata.name", "other")), bent())
    (problem,) = loaded.problems
    assert str(problem) == (
        '<stdin>:5: metadata.name: "widget-history" is also the name of the policy at <stdin>:1; rename one of them'
    )
    assert [policy.name for policy in loaded.policies.policies] == ["other", "widget-history"]
    assert loaded.skipped == 1
