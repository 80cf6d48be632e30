"""What no field shows by itself: protected fields; and that a mistake hides no other."""

from typing import Any

import pytest

from tests.policyfile.sample import bent, told


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
