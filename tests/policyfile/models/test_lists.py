"""``capList`` and ``dedupe`` in a policy file."""

from __future__ import annotations

from typing import Any

import pytest

from admission.engine.fieldpath import FieldPath
from admission.engine.steps import CapList, Dedupe, Step
from admission.engine.steps.duplicates import Keep, Position, Scope
from admission.engine.steps.order import Order, OrderKind
from tests.policyfile.sample import step_of, told_of_step

HISTORY = FieldPath.parse("status.history")


@pytest.mark.parametrize(
    ("kind", "fields", "step"),
    [
        pytest.param(
            "capList",
            {"path": "status.history", "max": 0, "order": "NewestFirst"},
            CapList(HISTORY, 0, Order(OrderKind.NEWEST_FIRST)),
            id="capList down to none",
        ),
        pytest.param(
            "capList",
            {"path": "status.history", "max": 3, "order": "NewestLast", "keepFirst": 1, "keepLast": 2},
            CapList(HISTORY, 3, Order(OrderKind.NEWEST_LAST), 1, 2),
            id="capList with pins",
        ),
        pytest.param(
            "dedupe",
            {"path": "status.history", "keys": ["a.b", "."], "keep": "Last"},
            Dedupe(HISTORY, Keep.LAST, (FieldPath.parse("a.b"), FieldPath())),
            id="dedupe by keys",
        ),
        pytest.param(
            "dedupe",
            {
                "path": "status.history",
                "ignoring": [],
                "keep": "Newest",
                "scope": "Consecutive",
                "position": "First",
                "timeFields": ["at"],
            },
            Dedupe(HISTORY, Keep.NEWEST, (), (), Scope.CONSECUTIVE, Position.FIRST, ("at",)),
            id="dedupe of exact duplicates",
        ),
    ],
)
def test_a_step_becomes_that_of_the_engine(kind: str, fields: dict[str, Any], step: Step) -> None:
    assert step_of(kind, fields) == step


@pytest.mark.parametrize(
    ("kind", "fields", "message"),
    [
        pytest.param(
            "dedupe",
            {"path": "status.history", "keep": "Last"},
            "says not what makes items equal; give keys: [type] or ignoring: [lastTransitionTime]",
            id="neither keys nor ignoring",
        ),
        pytest.param(
            "dedupe",
            {"path": "status.history", "keep": "Last", "keys": ["a"], "ignoring": ["b"]},
            "has both keys and ignoring; give one of them",
            id="both keys and ignoring",
        ),
        pytest.param(
            "dedupe",
            {"path": "status.history", "keep": "Last", "keys": []},
            "keys: the list is empty; write at least one entry",
            id="no keys",
        ),
        pytest.param(
            "dedupe",
            {"path": "status.history", "keys": ["a"]},
            "keep: is missing; write which of them stays: the First, the Last or, by time, the Newest",
            id="keep is required",
        ),
        pytest.param(
            "dedupe",
            {"path": "status.history", "keep": "Last", "keys": ["a[*]"]},
            'keys[0]: "a[*]" can lead to several values; name one field of the item, without wildcards',
            id="a key with a wildcard",
        ),
    ],
)
def test_a_step_that_cannot_work_is_told(kind: str, fields: dict[str, Any], message: str) -> None:
    assert told_of_step(kind, fields) == [message]
