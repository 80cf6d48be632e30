"""``capMap`` in a policy file."""

from __future__ import annotations

from typing import Any

import pytest

from admission.engine.fieldpath import FieldPath
from admission.engine.requirement import Operator, Requirement
from admission.engine.steps import CapMap, Step
from admission.engine.steps.order import EntryOrder, Order, OrderKind
from tests.policyfile.sample import step_of, told_of_step

EXECUTORS = FieldPath.parse("status.executorState")
CAP: dict[str, Any] = {"path": "status.executorState", "max": 5}
CHOICES = "write {keyAs: Natural}, or {by: FIELD, as: Time|Number|Natural}"


@pytest.mark.parametrize(
    ("fields", "step"),
    [
        pytest.param({}, CapMap(EXECUTORS, 5), id="all may go, by key"),
        pytest.param({"max": 0, "order": {"keyAs": "Natural"}}, CapMap(EXECUTORS, 0), id="by key, said"),
        pytest.param(
            {"order": {"by": "a.b", "as": "Time"}},
            CapMap(EXECUTORS, 5, order=EntryOrder(Order(OrderKind.TIME, FieldPath.parse("a.b")))),
            id="by a field",
        ),
        pytest.param(
            {"order": {"by": ".", "as": "Number"}},
            CapMap(EXECUTORS, 5, order=EntryOrder(Order(OrderKind.NUMBER, FieldPath()))),
            id="by the entry itself",
        ),
        pytest.param(
            {"evictWhere": [{"field": ".", "operator": "In", "values": ["DONE"]}]},
            CapMap(EXECUTORS, 5, (Requirement(FieldPath(), Operator.IN, ("DONE",)),)),
            id="only what is done",
        ),
    ],
)
def test_a_step_becomes_that_of_the_engine(fields: dict[str, Any], step: Step) -> None:
    assert step_of("capMap", CAP | fields) == step


@pytest.mark.parametrize(
    ("order", "message"),
    [
        pytest.param({}, f"order: {CHOICES}", id="nothing"),
        pytest.param({"by": "x"}, f"order: {CHOICES}", id="a field without a comparison"),
        pytest.param({"as": "Time"}, f"order: {CHOICES}", id="a comparison without a field"),
        pytest.param({"keyAs": "Natural", "by": "x", "as": "Time"}, f"order: {CHOICES}", id="both"),
        pytest.param({"keyAs": "Natural", "as": "Time"}, f"order: {CHOICES}", id="keys and half of a field"),
        pytest.param({"keyAs": "natural"}, 'order.keyAs: "natural" is not known; write Natural', id="small letters"),
        pytest.param({"key": "Natural"}, 'order.key: unknown key; did you mean "keyAs"?', id="an unknown key"),
        pytest.param(
            "NewestLast", 'order: expected a map, found "NewestLast"; known here: keyAs, by, as', id="by position"
        ),
        pytest.param(
            {"by": "x[*]", "as": "Time"},
            'order.by: "x[*]" can lead to several values; name one field of the item, without wildcards',
            id="several values",
        ),
    ],
)
def test_an_order_of_entries_that_is_none_is_told(order: Any, message: str) -> None:
    assert told_of_step("capMap", CAP | {"order": order}) == [message]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        pytest.param({"max": -1}, "max: must be at least 0, found -1", id="less than none"),
        pytest.param(
            {"keepWhere": []}, "keepWhere: unknown key; known here: path, max, evictWhere, order", id="pins of a list"
        ),
        pytest.param(
            {"evictWhere": {"field": ".", "operator": "Exists"}},
            "evictWhere: expected a list, found a map; write [{…}]",
            id="a requirement without its list",
        ),
    ],
)
def test_a_step_that_cannot_work_is_told(fields: dict[str, Any], message: str) -> None:
    assert told_of_step("capMap", CAP | fields) == [message]
