"""What no field shows by itself: protected fields, requirements on what is cut, equal names, equal resources."""

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


# --- protected fields ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "field"),
    [
        pytest.param("status.conditions[*].reason", "reason", id="every condition"),
        pytest.param("status.conditions[0].type", "type", id="one condition"),
        pytest.param("status.conditions[1:].status", "status", id="a slice"),
        pytest.param("status.clusterConditions[*].reason", "reason", id="a key that ends in conditions"),
        pytest.param("status.nodeConditions.eu[*].reason", "reason", id="a list in a map of conditions"),
        pytest.param("status.nodeConditions.*[*].reason", "reason", id="every list in a map of conditions"),
        pytest.param("status['my.Conditions'][*].observedGeneration", "observedGeneration", id="a quoted name"),
    ],
)
def test_a_protected_field_of_a_condition_is_never_cut(path: str, field: str) -> None:
    message = f"{path}: machines read the {field} of a condition; name another field, for example message"
    assert told(truncating(path)) == [f"spec.trim[0].truncate.paths[0]: {message}"]


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("status.conditions[*].message", id="the message"),
        pytest.param("status.history[*].reason", id="of what is no condition"),
        pytest.param("status.conditions.reason", id="of a map"),
        pytest.param("status.conditions[*].details.reason", id="deeper inside"),
        pytest.param("status.reason", id="not in a list"),
        pytest.param("status[0]", id="a short path"),
    ],
)
def test_other_fields_may_be_cut(path: str) -> None:
    assert told(truncating(path)) == []


def test_a_list_that_a_step_declares_to_hold_conditions_is_protected_too() -> None:
    steps = [
        {"truncate": {"paths": ["status.sites.*.state[*].reason"], "maxBytes": 1000}},
        {"capConditions": {"path": "status.sites.eu.state", "max": 5}},
    ]
    (problem,) = told(bent(("spec.trim", steps)))
    assert problem.startswith(
        "spec.trim[0].truncate.paths[0]: status.sites.*.state[*].reason: machines read the reason"
    )


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


# --- a mistake hides no other ----------------------------------------------------------------------------------------


def test_a_mistake_in_one_place_hides_none_in_another() -> None:
    resources = [
        {"apiGroups": ["*"], "resources": ["widgets/status"]},
        {"apiGroups": ["apps"], "resources": ["deployments/status"]},
    ]
    steps = [
        {"capList": {"path": "spec.history", "max": "ten", "order": "NewestLast"}},
        {"truncate": {"paths": ["status.conditions[*].type", "message"], "maxBytes": 1000}},
    ]
    places = [line.split(": ")[0] for line in told(bent(("spec.match.resources", resources), ("spec.trim", steps)))]
    assert places == [
        "spec.match.resources[0].apiGroups[0]",
        "spec.trim[0].capList.max",
        "spec.match.resources[1].apiGroups[0]",
        "spec.trim[0].capList.path",
        "spec.trim[1].truncate.paths[0]",
        "spec.trim[1].truncate.paths[1]",
    ]
