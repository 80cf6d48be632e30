"""``restoreTimes`` in a policy file."""

from __future__ import annotations

from typing import Any

import pytest

from admission.engine.fieldpath import FieldPath
from admission.engine.steps import RestoreTimes
from tests.policyfile.sample import step_of, told, told_of_step, with_step

CONDITIONS = FieldPath.parse("status.conditions")
TYPE = FieldPath.parse("type")


@pytest.mark.parametrize(
    ("fields", "step"),
    [
        pytest.param({}, RestoreTimes(CONDITIONS, (TYPE,), ("lastTransitionTime",), None), id="the defaults"),
        pytest.param(
            {
                "path": "status.sites.*.state",
                "keys": ["ref.name"],
                "fields": ["at", "id"],
                "unless": ["phase", "status"],
            },
            RestoreTimes(
                FieldPath.parse("status.sites.*.state"),
                (FieldPath.parse("ref.name"),),
                ("at", "id"),
                ("phase", "status"),
            ),
            id="everything",
        ),
        pytest.param({"unless": "All"}, RestoreTimes(CONDITIONS), id="All"),
        pytest.param(
            {"fields": ["lastUpdateTime"]}, RestoreTimes(CONDITIONS, fields=("lastUpdateTime",)), id="allowed"
        ),
    ],
)
def test_a_step_becomes_that_of_the_engine(fields: dict[str, Any], step: RestoreTimes) -> None:
    assert step_of("restoreTimes", fields) == step


ALIVE = "tells that somebody is alive, and must move; hold it back with suppress"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        *(
            pytest.param({"fields": [name]}, f'fields[0]: "{name}" {ALIVE}', id=name)
            for name in ("lastHeartbeatTime", "lastHeartBeatTime", "lastProbeTime", "probedAt")
        ),
        *(
            pytest.param(
                {"fields": ["lastTransitionTime", name]},
                f"fields[1]: machines read the {name} of a condition; name a time, for example lastTransitionTime",
                id=name,
            )
            for name in ("type", "status", "reason", "observedGeneration")
        ),
        pytest.param(
            {"unless": ["reason"]},
            "unless: without status a transition would get an old time; write [status, reason]",
            id="unless without status",
        ),
        pytest.param(
            {"unless": "Some"},
            'unless: "Some" is no choice; write All, or a list of fields such as [status, reason]',
            id="another word",
        ),
        pytest.param({"unless": []}, "unless: the list is empty; write at least one entry", id="an empty unless"),
        pytest.param({"fields": []}, "fields: the list is empty; write at least one entry", id="no fields"),
        pytest.param({"keys": []}, "keys: the list is empty; write at least one entry", id="no keys"),
        pytest.param(
            {"keys": ["a[*]"]},
            'keys[0]: "a[*]" can lead to several values; name one field of the item, without wildcards',
            id="a key with a wildcard",
        ),
        pytest.param(
            {"fields": ["a.b"]},
            'fields[0]: "a.b" is a path; name a field of the item itself, for example lastTransitionTime',
            id="a path as a field",
        ),
        pytest.param(
            {"path": "status.conditions[*]"},
            'path: "status.conditions[*]" leads to the items; name the list itself: status.conditions',
            id="the items instead of the list",
        ),
    ],
)
def test_a_step_that_cannot_work_is_told(fields: dict[str, Any], message: str) -> None:
    assert told_of_step("restoreTimes", fields) == [message]


def test_a_field_that_would_have_to_be_equal_already_is_told() -> None:
    problem = "lastTransitionTime is in fields and in unless: it would go back only where it is equal already"
    policy = with_step("restoreTimes", {"unless": ["status", "lastTransitionTime"]})
    assert told(policy) == [f"spec.trim[0].restoreTimes: {problem}"]


def test_the_list_counts_as_a_list_of_conditions() -> None:
    declares = {"restoreTimes": {"path": "status.state"}}
    policy = with_step("drop", {"paths": ["status.state[*].reason", "status.state"]})
    policy["spec"]["trim"].append(declares)
    assert [problem.split(": ")[0] for problem in told(policy)] == [
        "spec.trim[0].drop.paths[0]",
        "spec.trim[0].drop.paths[1]",
    ]
