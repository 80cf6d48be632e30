"""What no field shows by itself: protected fields, lists of conditions; and that a mistake hides no other."""

from typing import Any

import pytest

from tests.policyfile.sample import bent, loaded, told


def truncating(path: str, name: str = "cut", **spec: Any) -> dict[str, Any]:
    step = {"truncate": {"paths": [path], "maxBytes": 1000}}
    return bent(
        ("metadata.name", name), ("spec.trim", [step]), *((f"spec.{key}", value) for key, value in spec.items())
    )


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


# --- what is never dropped -------------------------------------------------------------------------------------------


def dropping(path: str, *beside: dict[str, Any]) -> dict[str, Any]:
    return bent(("spec.trim", [{"drop": {"paths": [path]}}, *beside]))


@pytest.mark.parametrize("field", ["type", "status", "reason", "observedGeneration"])
def test_a_protected_field_of_a_condition_is_never_dropped(field: str) -> None:
    path = f"status.conditions[*].{field}"
    message = f"{path}: machines read the {field} of a condition; name another field, for example message"
    assert told(dropping(path)) == [f"spec.trim[0].drop.paths[0]: {message}"]


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("status.conditions", id="the usual list"),
        pytest.param("status.nodes.*.conditions", id="several lists"),
        pytest.param("status.clusterConditions", id="a key that ends in conditions"),
        pytest.param("status.nodeConditions.eu", id="a list in a map of conditions"),
        pytest.param("status.nodeConditions.*", id="every list in a map of conditions"),
        pytest.param("status.sites.eu.state", id="a list that a step declares to be one"),
        pytest.param("status.sites.*.state", id="one of several is declared to be one"),
    ],
)
def test_a_list_of_conditions_is_never_dropped(path: str) -> None:
    declares = {"capConditions": {"path": "status.sites.eu.state", "max": 5}}
    message = f"{path}: no step removes a list of conditions; name a field of its items, for example {path}[*].message"
    assert told(dropping(path, declares)) == [f"spec.trim[0].drop.paths[0]: {message}"]


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("status.sites.eu", id="what holds conditions"),
        pytest.param("status.sites.eu.*", id="a wildcard, which leaves them alone"),
        pytest.param("status.*", id="everything else"),
        pytest.param("status.conditions[*].*", id="whatever machines do not read"),
        pytest.param("status.conditions[*].message", id="a message"),
        pytest.param("status.conditions[*].log.reason", id="deeper inside"),
        pytest.param("status.history[*].reason", id="of what is no condition"),
    ],
)
def test_other_fields_may_be_dropped(path: str) -> None:
    assert told(dropping(path, {"capConditions": {"path": "status.sites.eu.state", "max": 5}})) == []


# --- what is never evicted -------------------------------------------------------------------------------------------


def capping(path: str, *beside: dict[str, Any]) -> list[str]:
    return told(bent(("spec.trim", [{"capMap": {"path": path, "max": 5}}, *beside])))


DECLARES: dict[str, Any] = {"capConditions": {"path": "status.sites.*", "max": 5}}


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("status.nodeConditions", id="a map of lists of conditions"),
        pytest.param("status.*.nodeConditions", id="several of them"),
        pytest.param("status.sites", id="a map of lists that a step declares to hold conditions"),
    ],
)
def test_a_list_of_conditions_is_never_evicted(path: str) -> None:
    message = f"{path}: no step removes a list of conditions; cap each of them, with capConditions on {path}.*"
    assert capping(path, DECLARES) == [f"spec.trim[0].capMap.path: {message}"]


@pytest.mark.parametrize("path", ["status.conditions[*]", "status.conditions[0]", "status.sites.eu[-1]"])
def test_a_field_of_a_condition_is_never_evicted(path: str) -> None:
    message = f"{path}: the entries of a condition are its fields, which machines read; name a map"
    assert capping(path, DECLARES) == [f"spec.trim[0].capMap.path: {message}"]


@pytest.mark.parametrize(
    "path", ["status.nodes", "status.nodes.*.log", "status.*", "status.history[*].seen", "status.history[*]"]
)
def test_other_maps_may_be_capped(path: str) -> None:
    assert capping(path, DECLARES) == []


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


# --- the root --------------------------------------------------------------------------------------------------------

REPORTS = [{"apiGroups": ["wgpolicyk8s.io"], "resources": ["policyreports"]}]


def of_results(*steps: Any, rules: Any = REPORTS) -> dict[str, Any]:
    return bent(("spec.root", "results"), ("spec.match.resources", rules), ("spec.trim", list(steps)))


def test_a_policy_may_trim_another_member_than_the_status() -> None:
    policy = loaded(of_results({"truncate": {"paths": ["results[*].message"], "maxBytes": 1000}}))
    assert policy.root == "results"


def test_another_root_may_be_a_list() -> None:
    assert told(of_results({"capList": {"path": "results", "max": 1, "order": "NewestLast"}})) == []


@pytest.mark.parametrize(
    ("document", "message"),
    [
        pytest.param(
            of_results({"capList": {"path": "status.items", "max": 1, "order": "NewestLast"}}),
            "spec.trim[0].capList.path: status.items is outside the root; write a path below results, "
            "for example results.items",
            id="a path in the status",
        ),
        pytest.param(
            of_results({"capList": {"path": "status.results", "max": 1, "order": "NewestLast"}}),
            "spec.trim[0].capList.path: status.results is outside the root; write a path below results, "
            "for example results",
            id="the root below the status",
        ),
        pytest.param(
            of_results({"capConditions": {"max": 1}}),
            "spec.trim[0].capConditions: path is status.conditions unless given; write a path below results, "
            "for example results.items",
            id="a default path in the status",
        ),
        pytest.param(
            of_results(
                {"truncate": {"paths": ["results.x"], "maxBytes": 1000}},
                rules=[{"apiGroups": ["wgpolicyk8s.io"], "resources": ["policyreports/status"]}],
            ),
            "spec.match.resources[0].resources[0]: a write of policyreports/status changes the status alone, "
            "not results; write policyreports, or leave out root",
            id="a status subresource",
        ),
        pytest.param(
            of_results(
                {"truncate": {"paths": ["results.x"], "maxBytes": 1000}},
                rules=[{"apiGroups": ["wgpolicyk8s.io"], "resources": ["*/status"]}],
            ),
            "spec.match.resources[0].resources[0]: a write of */status changes the status alone, "
            "not results; name the resources, or leave out root",
            id="every status subresource",
        ),
    ],
)
def test_a_policy_stays_in_its_root(document: dict[str, Any], message: str) -> None:
    assert told(document) == [message]
