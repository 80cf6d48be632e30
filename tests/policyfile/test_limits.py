"""Limits in a policy file: what they become, and what is refused."""

from typing import Any

import pytest

from admission.engine.limits import Action, Items, Length, Limit, Size
from admission.engine.sides import Of
from admission.policyfile.jsonschema import policy_schema
from tests.engine.build import path
from tests.policyfile.sample import GONE, bent, loaded, told

SIZE = {"maxBytes": "1400Ki", "of": "Object", "action": "Reject"}
ITEMS = {"path": "status.history", "maxItems": 20, "action": "Warn"}
LENGTH = {"path": "status.conditions[*].message", "maxLength": 32768, "action": "Reject"}


def with_limits(*limits: Any) -> dict[str, Any]:
    return bent(("spec.limits", [*limits]))


@pytest.mark.parametrize(
    ("entry", "limit"),
    [
        pytest.param(SIZE, Limit(Size(Of.OBJECT), 1_433_600, Action.REJECT), id="a size"),
        pytest.param(
            {"maxBytes": 512, "action": "Warn"},
            Limit(Size(Of.STATUS), 512, Action.WARN),
            id="of the status, if not given",
        ),
        pytest.param(ITEMS, Limit(Items(path("status.history")), 20, Action.WARN), id="items"),
        pytest.param({**ITEMS, "maxItems": 0}, Limit(Items(path("status.history")), 0, Action.WARN), id="no items"),
        pytest.param(LENGTH, Limit(Length(path("status.conditions[*].message")), 32768, Action.REJECT), id="length"),
        pytest.param(
            {**LENGTH, "path": "status.errors[*]", "maxLength": 0},
            Limit(Length(path("status.errors[*]")), 0, Action.REJECT),
            id="texts in a list",
        ),
        pytest.param({**SIZE, "path": None}, Limit(Size(Of.OBJECT), 1_433_600, Action.REJECT), id="null is not given"),
    ],
)
def test_an_entry_becomes_a_limit(entry: Any, limit: Limit) -> None:
    assert loaded(with_limits(entry)).limits == (limit,)


def test_limits_alone_make_a_policy() -> None:
    policy = loaded(bent(("spec.trim", GONE), ("spec.limits", [SIZE, ITEMS])))
    assert (policy.trim, len(policy.limits)) == ((), 2)


def test_limits_stand_beside_steps() -> None:
    policy = loaded(with_limits(SIZE))
    assert (len(policy.trim), len(policy.limits)) == (1, 1)
    assert loaded(bent()).limits == ()


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        pytest.param(
            {"action": "Warn"},
            ": measures nothing; write maxBytes, or a path with maxItems or maxLength",
            id="no measure",
        ),
        pytest.param(
            {"path": "status.history", "action": "Warn"},
            ": measures nothing; write maxBytes, or a path with maxItems or maxLength",
            id="only a path",
        ),
        pytest.param(
            {**ITEMS, "maxLength": 5},
            ": measures 2 things (maxItems, maxLength); write one entry for each",
            id="two kinds",
        ),
        pytest.param(
            {**SIZE, "maxItems": 5, "maxLength": 5},
            ": measures 3 things (maxBytes, maxItems, maxLength); write one entry for each",
            id="three kinds",
        ),
        pytest.param(
            {**SIZE, "path": "status.history"},
            ": has a path, but maxBytes measures of: Status or Object; write maxItems or maxLength",
            id="a path with a size",
        ),
        pytest.param(
            {**ITEMS, "of": "Status"},
            ": has of, which says what maxBytes measures; leave it out beside maxItems",
            id="of without maxBytes",
        ),
        pytest.param(
            {"maxItems": 5, "action": "Warn"},
            ": has no path; say what maxItems measures, for example path: status.history",
            id="items of nothing",
        ),
        pytest.param(
            {"maxLength": 5, "action": "Warn"},
            ': has no path; say what maxLength measures, for example path: "status.conditions[*].message"',
            id="length of nothing",
        ),
        pytest.param(
            {**ITEMS, "path": "status.history[*]"},
            ': "status.history[*]" leads to the items; name the list itself: status.history',
            id="items of items",
        ),
        pytest.param(
            {"maxBytes": "1Mi"},
            ".action: is missing; write what comes of it: Reject refuses the write and says why (413), "
            "Warn only tells the writer",
            id="no action",
        ),
        pytest.param(
            {**SIZE, "action": "Deny"}, '.action: "Deny" is not known; write Warn or Reject', id="another action"
        ),
        pytest.param(
            {**SIZE, "action": "reject"}, '.action: "reject" is not known; did you mean "Reject"?', id="small letters"
        ),
        pytest.param(
            {**SIZE, "of": "Spec"}, '.of: "Spec" is not known; write Status or Object', id="of something else"
        ),
        pytest.param(
            {**SIZE, "maxBytes": 0}, ".maxBytes: 0 is no positive number of bytes; write for example 32Ki", id="0"
        ),
        pytest.param(
            {**ITEMS, "maxItems": "20"}, '.maxItems: expected a whole number, found "20"', id="a number as text"
        ),
        pytest.param({**ITEMS, "maxItems": -1}, ".maxItems: must be at least 0, found -1", id="less than none"),
        pytest.param({**LENGTH, "maxLength": "1Ki"}, '.maxLength: expected a whole number, found "1Ki"', id="a size"),
        pytest.param(
            {**ITEMS, "path": "spec.items"},
            ".path: spec.items is outside the root; write a path below status, for example status.conditions",
            id="outside the root",
        ),
        pytest.param(
            {**ITEMS, "path": "history"},
            ".path: history is outside the root; write a path below status, for example status.history",
            id="without the root",
        ),
        pytest.param(
            {**LENGTH, "path": "status"},
            ".path: status is the whole root; name a field below it, for example status.conditions",
            id="the root",
        ),
        pytest.param({**ITEMS, "maxItem": 3}, '.maxItem: unknown key; did you mean "maxItems"?', id="a misspelt key"),
        pytest.param(
            "1Mi",
            ': expected a map, found "1Mi"; known here: maxBytes, of, path, maxItems, maxLength, action',
            id="no map",
        ),
    ],
)
def test_refuses(entry: Any, problem: str) -> None:
    assert told(with_limits(entry)) == [f"spec.limits[0]{problem}"]


def test_problems_of_limits_are_told_with_those_of_steps() -> None:
    policy = bent(("spec.trim.0.capList.max", "ten"), ("spec.limits", [{**SIZE, "action": 7}, {**ITEMS, "path": "x"}]))
    assert [problem.partition(":")[0] for problem in told(policy)] == [
        "spec.trim[0].capList.max",
        "spec.limits[0].action",
        "spec.limits[1].path",
    ]


def test_the_schema_wants_one_kind_an_entry() -> None:
    schema = policy_schema()["$defs"]["LimitModel"]
    assert [kind["required"] for kind in schema["oneOf"]] == [["maxBytes"], ["path", "maxItems"], ["path", "maxLength"]]
    assert schema["required"] == ["action"]
