"""``drop`` in a policy file."""

from __future__ import annotations

from typing import Any

import pytest

from admission.engine.fieldpath import FieldPath
from admission.engine.steps import Drop
from tests.policyfile.sample import bent, step_of, told, told_of_step


def test_a_step_becomes_that_of_the_engine() -> None:
    paths = ["status.log", "status.nodes.*", "status.history[:-1].source"]
    assert step_of("drop", {"paths": paths}) == Drop(tuple(map(FieldPath.parse, paths)))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        pytest.param(
            {"paths": ["status.history[*]"]},
            'paths[0]: "status.history[*]" ends in an item of a list; name a field of the item, or cap the list',
            id="every item",
        ),
        pytest.param(
            {"paths": ["status.log", "status.history[0]"]},
            'paths[1]: "status.history[0]" ends in an item of a list; name a field of the item, or cap the list',
            id="one item",
        ),
        pytest.param(
            {"paths": ["status.history[1:]"]},
            'paths[0]: "status.history[1:]" ends in an item of a list; name a field of the item, or cap the list',
            id="a slice",
        ),
        pytest.param({"paths": []}, "paths: the list is empty; write at least one entry", id="no paths"),
        pytest.param(
            {"paths": ["status"]},
            "paths[0]: status is the whole root; name a field below it, for example status.conditions",
            id="the whole status",
        ),
        pytest.param(
            {"paths": ["spec.log"]},
            "paths[0]: spec.log is outside the root; write a path below status, for example status.conditions",
            id="outside the root",
        ),
        pytest.param({"path": "status.log"}, 'path: unknown key; did you mean "paths"?', id="path for paths"),
    ],
)
def test_a_step_that_cannot_work_is_told(fields: dict[str, Any], message: str) -> None:
    assert told_of_step("drop", fields) == [message]


def test_another_root_is_no_field_either() -> None:
    rules = [{"apiGroups": ["example.com"], "resources": ["widgets"]}]
    policy = bent(
        ("spec.match.resources", rules), ("spec.root", "results"), ("spec.trim", [{"drop": {"paths": ["results"]}}])
    )
    message = "results is the whole root; name a field below it, for example results.log"
    assert told(policy) == [f"spec.trim[0].drop.paths[0]: {message}"]
