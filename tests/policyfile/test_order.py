"""What may be said about which item is newer."""

from typing import Any

import pytest

from admission.engine.fieldpath import FieldPath
from admission.engine.steps import CapList
from admission.engine.steps.order import Order, OrderKind
from tests.policyfile.sample import loaded, told, with_step

CAP: dict[str, Any] = {"path": "status.history", "max": 10}


@pytest.mark.parametrize(
    ("order", "engine"),
    [
        pytest.param("NewestFirst", Order(OrderKind.NEWEST_FIRST), id="by position"),
        pytest.param("NewestLast", Order(OrderKind.NEWEST_LAST), id="by position from the end"),
        pytest.param({"by": "at", "as": "Time"}, Order(OrderKind.TIME, FieldPath.parse("at")), id="by a time"),
        pytest.param({"by": "a.b", "as": "Number"}, Order(OrderKind.NUMBER, FieldPath.parse("a.b")), id="by a number"),
        pytest.param({"by": "id", "as": "Natural"}, Order(OrderKind.NATURAL, FieldPath.parse("id")), id="by a text"),
    ],
)
def test_an_order_becomes_that_of_the_engine(order: Any, engine: Order) -> None:
    step = loaded(with_step("capList", CAP | {"order": order})).trim[0].step
    assert isinstance(step, CapList)
    assert step.order == engine


@pytest.mark.parametrize(
    ("order", "messages"),
    [
        pytest.param(
            "Newest",
            ['order: "Newest" is no order; write NewestFirst, NewestLast or {by: FIELD, as: Time|Number|Natural}'],
            id="a word that is none",
        ),
        pytest.param(
            ["NewestFirst"],
            ["order: a list is no order; write NewestFirst, NewestLast or {by: FIELD, as: Time|Number|Natural}"],
            id="a list",
        ),
        pytest.param(
            {"by": "at", "as": "time"}, ['order.as: "time" is not known; did you mean "Time"?'], id="small letters"
        ),
        pytest.param({"as": "Time"}, ["order.by: is missing; write the field of the item"], id="by what"),
        pytest.param(
            {"by": "at"},
            ["order.as: is missing; write how its values compare: Time, Number or Natural"],
            id="as what",
        ),
        pytest.param(
            {"by": "items[*].at", "as": "Time"},
            ['order.by: "items[*].at" can lead to several values; name one field of the item, without wildcards'],
            id="several values",
        ),
        pytest.param({"By": "at", "as": "Time"}, ['order.By: unknown key; did you mean "by"?'], id="an unknown key"),
    ],
)
def test_an_order_that_is_none_is_told(order: Any, messages: list[str]) -> None:
    assert told(with_step("capList", CAP | {"order": order})) == [
        f"spec.trim[0].capList.{message}" for message in messages
    ]
