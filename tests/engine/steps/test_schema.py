"""Strings and lists that are cut to what the schema of the kind allows."""

from __future__ import annotations

from typing import Any

import pytest

from admission.engine.decision import Decision, Outcome, Reason
from admission.engine.evaluate import evaluate
from admission.engine.policy import PolicySet
from admission.engine.schema import Schema, Schemas
from admission.engine.steps import Step
from tests.engine.build import (
    GROUP,
    NOW,
    at,
    cap_list,
    custom_resource,
    entry,
    fit_schema,
    patched,
    plain,
    policy,
    truncate,
    write,
)

FIT = fit_schema()
TEXT: dict[str, Any] = {"type": "string", "maxLength": 5}
LIST: dict[str, Any] = {"type": "array", "maxItems": 2, "items": {"type": "integer"}}
CONDITIONS: dict[str, Any] = {
    "type": "array",
    "maxItems": 3,
    "items": {"properties": dict.fromkeys(("type", "status", "reason", "message", "lastTransitionTime"), TEXT)},
}


def put(status: Any, *steps: Step, managed: Any = None, **properties: Any) -> tuple[Any, Decision]:
    """The status that is left, and the decision; the result is final."""
    schemas = Schemas({(GROUP, "*", "jobs"): Schema.of({"properties": {"status": {"properties": properties}}})})
    policies = PolicySet.of([policy(*(steps or (FIT,)))], schemas)
    attributes = write(custom_resource(status, managed=managed))
    decision = evaluate(policies, attributes, NOW)
    assert not decision.violations, decision.violations
    result = plain(patched(attributes, decision))
    assert evaluate(policies, write(result), NOW).outcome is Outcome.UNCHANGED, "it changes its own result"
    return result["status"], decision


# --- strings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "left"),
    [
        pytest.param("abcdef", "abcde", id="the start stays"),
        pytest.param("abcde", "abcde", id="as long as allowed"),
        pytest.param("äöüßäx", "äöüßä", id="letters count, not bytes"),
        pytest.param("😀😀😀😀😀😀", "😀😀😀😀😀", id="code points of four bytes"),
        pytest.param('""\\\\\n\n<<', '""\\\\\n', id="escapes count once"),
        pytest.param("", "", id="empty"),
    ],
)
def test_cuts_a_text_to_the_length_that_the_schema_allows(text: str, left: str) -> None:
    assert put({"message": text}, message=TEXT)[0] == {"message": left}


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"pattern": "^[a-z]+$"}, id="a pattern"),
        pytest.param({"enum": ["abcdefgh"]}, id="an enum"),
        pytest.param({"format": "uri"}, id="a format"),
        pytest.param({"anyOf": [{"pattern": "^a"}, {"pattern": "^b"}]}, id="a pattern in one of several"),
    ],
)
def test_a_text_that_has_a_form_is_left_alone(more: Any) -> None:
    assert put({"message": "abcdefgh"}, message=TEXT | more)[1].outcome is Outcome.UNCHANGED


@pytest.mark.parametrize("text", ["2026-01-01T00:00:00Z", "1234567890Ki", "123456789"])
def test_a_time_or_quantity_is_left_alone(text: str) -> None:
    assert put({"message": text}, message=TEXT)[1].outcome is Outcome.UNCHANGED


def test_a_text_that_must_be_longer_than_it_may_be_is_left_alone() -> None:
    _, decision = put({"message": "abcdefghi"}, message=TEXT | {"minLength": 8})
    assert (decision.outcome, decision.reason) == (Outcome.UNCHANGED, Reason.SCHEMA_REQUIRES)


@pytest.mark.parametrize("word", ["anyOf", "oneOf"])
def test_a_length_that_only_one_of_several_allows_is_no_limit(word: str) -> None:
    schema = {word: [{"maxLength": 3}, {"maxLength": 100}]}
    assert put({"message": "abcdef"}, message=schema)[0] == {"message": "abcdef"}
    assert put({"message": "abcdef"}, message=TEXT | schema)[0] == {"message": "abcde"}


def test_all_lengths_of_all_of_are_limits() -> None:
    schema = {"allOf": [{"maxLength": 4}, {"maxLength": 7}]}
    assert put({"message": "abcdefgh"}, message=TEXT | schema)[0] == {"message": "abcd"}


def test_what_is_no_text_has_no_length() -> None:
    status = {"message": ["a", "b", "c", "d", "e", "f"]}
    assert put(status, message=TEXT)[0] == status
    assert put({"message": None}, message=TEXT)[0] == {"message": None}
    assert put({"message": 1234567}, message=TEXT)[0] == {"message": 1234567}


# --- lists -----------------------------------------------------------------------------------------------------------


def test_a_list_keeps_its_first_items() -> None:
    left, decision = put({"history": [1, 2, 3, 4]}, history=LIST)
    assert left == {"history": [1, 2]}
    assert decision.policies[0].items == 2


def test_a_list_never_has_fewer_items_than_the_schema_demands() -> None:
    left, decision = put({"history": [1, 2, 3, 4]}, history=LIST | {"minItems": 3})
    assert (left, decision.policies[0].reason) == ({"history": [1, 2, 3]}, Reason.SCHEMA_REQUIRES)


def test_a_list_that_may_hold_nothing_becomes_empty() -> None:
    assert put({"history": [1, 2]}, history=LIST | {"maxItems": 0})[0] == {"history": []}


def condition(type_: str, minute: int, message: str = "m", **more: Any) -> dict[str, Any]:
    return {"type": type_, "status": "True", "message": message, "lastTransitionTime": at(minute), **more}


def test_of_conditions_the_oldest_surplus_goes_as_by_a_cap() -> None:
    conditions = [condition("A", 1), condition("B", 2), condition("A", 3), condition("C", 0), condition("A", 4)]
    left, _ = put({"conditions": conditions}, conditions=CONDITIONS)
    assert left == {"conditions": [conditions[1], conditions[3], conditions[4]]}


def test_the_newest_condition_of_every_type_stays_and_that_is_said() -> None:
    conditions = [condition(name, 1) for name in "ABCDE"]
    left, decision = put({"conditions": conditions}, conditions=CONDITIONS)
    assert (left["conditions"], decision.reason) == (conditions, Reason.CAP_UNREACHABLE)


def test_items_without_a_type_take_room_that_duplicates_leave() -> None:
    conditions = [condition("A", 1), condition("A", 2), condition("A", 3), {"message": "x"}, {"message": "y"}]
    left, _ = put({"conditions": conditions}, conditions=CONDITIONS)
    assert left["conditions"] == conditions[2:]
    many = [*conditions, {"message": "z"}]
    left, decision = put({"conditions": many}, conditions=CONDITIONS)
    assert (left["conditions"], decision.policies[0].reason) == (many[2:], Reason.CAP_UNREACHABLE)


def test_the_fields_of_a_condition_that_machines_read_are_never_cut() -> None:
    sent = condition("LongType", 1, "a long message", reason="LongReason", status="Unknown")
    left, _ = put({"conditions": [sent]}, conditions=CONDITIONS)
    assert left["conditions"] == [sent | {"message": "a lon"}]


def test_a_list_is_shortened_before_what_is_in_it_is_cut() -> None:
    schema = {"maxItems": 1, "items": {"properties": {"m": TEXT}}}
    left, decision = put({"history": [{"m": "abcdefg"}] * 3}, history=schema)
    assert left == {"history": [{"m": "abcde"}]}
    assert decision.policies[0].items == 3


# --- names of items --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "items"),
    [
        pytest.param(
            {"x-kubernetes-list-map-keys": ["name"], "items": {"properties": {"name": TEXT}}},
            [{"name": "abcdefg"}],
            id="the key of a keyed list",
        ),
        pytest.param({"x-kubernetes-list-type": "set", "items": TEXT}, ["abcdefg", "abcdefh"], id="an item of a set"),
    ],
)
def test_what_tells_items_apart_is_never_cut(schema: Any, items: Any) -> None:
    assert put({"history": items}, history=schema)[0] == {"history": items}


# --- who owns it -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "schema"),
    [pytest.param({"x": "abcdefg"}, TEXT, id="text"), pytest.param({"x": [1, 2, 3]}, LIST, id="an atomic list")],
)
def test_what_an_applier_owns_with_another_is_left_alone(status: Any, schema: Any) -> None:
    owned: dict[str, Any] = {"f:status": {"f:x": {}}}
    managed = [entry("helm", owned, "Apply"), entry("kubelet", owned)]
    left, decision = put(status, managed=managed, x=schema)
    assert (left, decision.policies[0].steps[0].reason) == (status, Reason.CO_OWNED)


# --- where it looks --------------------------------------------------------------------------------------------------


NESTED: Any = {
    "nodes": {"additionalProperties": {"properties": {"message": TEXT, "history": LIST}}},
    "deep": {"properties": {"l": {"items": {"items": TEXT}}}},
}


def test_finds_everything_that_the_schema_limits() -> None:
    status = {
        "nodes": {"a": {"message": "abcdefg", "other": "abcdefg"}, "b": {"history": [1, 2, 3]}},
        "deep": {"l": [["a", "abcdefg"], []]},
        "free": "abcdefg",
    }
    left, _ = put(status, **NESTED)
    assert left == {
        "nodes": {"a": {"message": "abcde", "other": "abcdefg"}, "b": {"history": [1, 2]}},
        "deep": {"l": [["a", "abcde"], []]},
        "free": "abcdefg",
    }


@pytest.mark.parametrize(
    ("paths", "left"),
    [
        pytest.param(["status.a"], {"a": "abcde", "b": "abcdefg", "h": [1, 2, 3]}, id="a text"),
        pytest.param(["status.h"], {"a": "abcdefg", "b": "abcdefg", "h": [1, 2]}, id="a list"),
        pytest.param(["status.*"], {"a": "abcde", "b": "abcde", "h": [1, 2]}, id="a wildcard"),
        pytest.param(["status.a", "status.h"], {"a": "abcde", "b": "abcdefg", "h": [1, 2]}, id="several"),
    ],
)
def test_with_paths_only_what_they_lead_to(paths: list[str], left: Any) -> None:
    status = {"a": "abcdefg", "b": "abcdefg", "h": [1, 2, 3]}
    assert put(status, fit_schema(*paths), a=TEXT, b=TEXT, h=LIST)[0] == left


def test_paths_lead_into_lists_and_maps() -> None:
    paths = fit_schema("status.nodes.*.message", "status.deep.l[*][1]")
    status = {"nodes": {"a": {"message": "abcdefg"}}, "deep": {"l": [["abcdefg", "abcdefg"]]}}
    left, _ = put(status, paths, **NESTED)
    assert left == {"nodes": {"a": {"message": "abcde"}}, "deep": {"l": [["abcdefg", "abcde"]]}}


@pytest.mark.parametrize(
    ("step", "status", "found"),
    [
        pytest.param(FIT, {"a": "x"}, True, id="the schema limits something"),
        pytest.param(fit_schema("status.a"), {"a": "x"}, True, id="short, but there"),
        pytest.param(fit_schema("status.free"), {"free": "x"}, True, id="there, and not limited"),
        pytest.param(fit_schema("status.b"), {"a": "x"}, False, id="not there"),
    ],
)
def test_says_whether_a_path_led_anywhere(step: Step, status: Any, found: bool) -> None:
    assert put(status, step, a=TEXT)[1].policies[0].steps[0].found is found


@pytest.mark.parametrize("step", [FIT, fit_schema("status.a")])
def test_without_a_schema_it_does_nothing_and_says_so(step: Step) -> None:
    attributes = write(custom_resource({"a": "abcdefg"}))
    decision = evaluate(PolicySet.of([policy(step)]), attributes, NOW)
    assert (decision.outcome, decision.reason) == (Outcome.UNCHANGED, Reason.NONE), "or every write would be logged"
    assert decision.policies[0].reason is Reason.SCHEMA_UNKNOWN
    assert decision.policies[0].steps[0].found is False


def test_a_schema_that_limits_nothing_is_not_unknown() -> None:
    _, decision = put({"a": "abcdefg"}, a={"type": "string"})
    assert (decision.outcome, decision.reason) == (Outcome.UNCHANGED, Reason.NONE)


# --- beside other steps ----------------------------------------------------------------------------------------------


def test_fits_what_other_steps_have_left() -> None:
    steps: list[Step] = [truncate(20, "status.message", marker="…"), cap_list(3), FIT]
    status = {"message": "m" * 40, "history": [1, 2, 3, 4]}
    left, _ = put(status, *steps, message={"maxLength": 10}, history=LIST)
    assert left == {"message": "m" * 10, "history": [2, 3]}
