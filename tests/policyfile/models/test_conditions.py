"""``capConditions`` in a policy file."""

from __future__ import annotations

from typing import Any

import pytest

from admission.engine.fieldpath import FieldPath
from admission.engine.steps import CapConditions, Step
from tests.policyfile.sample import step_of, told_of_step


@pytest.mark.parametrize(
    ("kind", "fields", "step"),
    [
        pytest.param(
            "capConditions", {"max": 20}, CapConditions(FieldPath.parse("status.conditions"), 20), id="capConditions"
        ),
        pytest.param(
            "capConditions",
            {"path": "status.state", "max": 1, "typeField": "kind", "keepTypes": ["Ready"], "timeFields": ["at"]},
            CapConditions(FieldPath.parse("status.state"), 1, "kind", ("Ready",), ("at",)),
            id="capConditions with everything",
        ),
        pytest.param(
            "capConditions",
            {"max": 20, "keepTypes": "All", "typeField": "['a.b']"},
            CapConditions(FieldPath.parse("status.conditions"), 20, "a.b"),
            id="an odd field name",
        ),
        pytest.param(
            "capConditions",
            {"max": 20, "keepTypes": []},
            CapConditions(FieldPath.parse("status.conditions"), 20, keep_types=()),
            id="any type may go",
        ),
    ],
)
def test_a_step_becomes_that_of_the_engine(kind: str, fields: dict[str, Any], step: Step) -> None:
    assert step_of(kind, fields) == step


@pytest.mark.parametrize(
    ("kind", "fields", "message"),
    [
        pytest.param("capConditions", {"max": 0}, "max: must be at least 1, found 0", id="no condition at all"),
        pytest.param(
            "capConditions",
            {"max": 1, "keepTypes": "Ready"},
            'keepTypes: "Ready" is no choice; write All, or a list of types such as [Ready]',
            id="one type as text",
        ),
        pytest.param(
            "capConditions",
            {"max": 1, "path": "status.conditions[*]"},
            'path: "status.conditions[*]" leads to the items; name the list itself: status.conditions',
            id="the items instead of the list",
        ),
        pytest.param(
            "capConditions",
            {"max": 1, "timeFields": ["a.b"]},
            'timeFields[0]: "a.b" is a path; name a field of the item itself, for example lastTransitionTime',
            id="a path as a field's name",
        ),
        pytest.param(
            "capConditions",
            {"max": 1, "timeFields": []},
            "timeFields: the list is empty; write at least one entry",
            id="no time fields",
        ),
    ],
)
def test_a_step_that_cannot_work_is_told(kind: str, fields: dict[str, Any], message: str) -> None:
    assert told_of_step(kind, fields) == [message]
