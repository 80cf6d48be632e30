"""``capList``, ``expire`` and ``dedupe`` in a policy file."""

from __future__ import annotations

from typing import Any

import pytest

from admission.engine.fieldpath import FieldPath
from admission.engine.instant import DAY, SECOND
from admission.engine.pin import KeepWhere
from admission.engine.requirement import Operator, Requirement
from admission.engine.steps import CapList, Dedupe, Expire, Step
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
            "expire",
            {"path": "status.history", "olderThan": "1h30m"},
            Expire(HISTORY, 5_400 * SECOND),
            id="expire, the newest stays",
        ),
        pytest.param(
            "expire",
            {
                "path": "status.history",
                "olderThan": "7d",
                "timeFields": ["at"],
                "keepNewest": 0,
                "keepWhere": [{"all": [{"field": ".", "operator": "Exists"}], "newest": 2}],
                "order": "NewestFirst",
            },
            Expire(
                HISTORY,
                7 * DAY,
                ("at",),
                0,
                (KeepWhere((Requirement(FieldPath(), Operator.EXISTS),), 2),),
                Order(OrderKind.NEWEST_FIRST),
            ),
            id="expire with pins",
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


@pytest.mark.parametrize("age", ["5", "1w", "0", "0s", "-5m", "", "2026-01-01T00:00:00Z"])
def test_an_age_is_a_duration_above_zero(age: str) -> None:
    message = f'olderThan: "{age}" is no duration above 0; write for example 60s, 5m or 7d'
    assert told_of_step("expire", {"path": "status.history", "olderThan": age}) == [message]


@pytest.mark.parametrize(("age", "found"), [(5, "5"), (True, "true"), (None, "nothing"), (["7d"], "a list")])
def test_an_age_is_a_text(age: Any, found: str) -> None:
    message = f"olderThan: expected a duration, found {found}; write for example 60s, 5m or 7d"
    assert told_of_step("expire", {"path": "status.history", "olderThan": age}) == [message]
