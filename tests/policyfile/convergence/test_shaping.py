"""Samples have the form that a schema demands."""

from __future__ import annotations

import json
from typing import Any

import pytest

from admission.engine.instant import is_date_time
from admission.engine.policy import Policy
from admission.engine.schema import Schema
from admission.policyfile.convergence.dice import MOST_BYTES, Dice
from admission.policyfile.convergence.mold import Mold
from admission.policyfile.convergence.molding import mold_of
from admission.policyfile.convergence.shaping import MOST_OTHERS, lacks, shape
from tests.engine.build import Json, cap_list, cap_map, dedupe, drop, fit_schema, path, policy, truncate

TEXT: Json = {"type": "string"}


def an_object(*required: str, **properties: Json) -> Json:
    return {"type": "object", "properties": properties, "required": list(required)}


def a_list(items: Json, **more: Json) -> Json:
    return {"type": "array", "items": items, **more}


def shaped(made: Policy, status: Json, *, to_the_limit: bool = False) -> Mold:
    mold = mold_of([made]).members["status"]
    shape(mold, Schema.of(status), to_the_limit=to_the_limit)
    return mold


def drawn(made: Policy, status: Json, *, times: int = 150, to_the_limit: bool = False) -> list[Any]:
    mold = shaped(made, status, to_the_limit=to_the_limit)
    return [Dice(str(number)).value(mold) for number in range(times)]


def histories(made: Policy, history: Json) -> list[list[Any]]:
    return [each["history"] for each in drawn(made, an_object("history", history=history))]


def test_what_a_schema_does_not_know_is_left_out_as_the_api_server_prunes_it() -> None:
    for each in drawn(policy(drop("status.gone", "status.known")), an_object(known=TEXT)):
        assert each.keys() <= {"known"}


def test_what_an_open_object_holds_stays() -> None:
    status = an_object(known=TEXT) | {"x-kubernetes-preserve-unknown-fields": True}
    assert any("free" in each for each in drawn(policy(drop("status.free")), status))


def test_needed_members_are_never_absent() -> None:
    item = an_object("id", "spec", id={"type": "integer"}, spec=an_object("name", name=TEXT))
    lists = histories(policy(cap_list(2)), a_list(item))
    assert any(lists)
    for each in lists:
        assert all(type(item["id"]) is int and type(item["spec"]["name"]) is str for item in each)


def test_a_few_members_that_no_policy_names_are_there() -> None:
    many = {f"field{number}": TEXT for number in range(9)}
    seen = {name for items in histories(policy(cap_list(2)), a_list(an_object(**many))) for it in items for name in it}
    assert len(seen) == MOST_OTHERS


@pytest.mark.parametrize(
    ("kind", "expected"), [("integer", int), ("number", int), ("boolean", bool), ("string", str)], ids=str
)
def test_scalars_have_their_kind(kind: str, expected: type) -> None:
    for each in drawn(policy(truncate(8, "status.message")), an_object("message", message={"type": kind})):
        assert type(each["message"]) is expected


def test_what_may_be_a_number_or_a_text_is_either() -> None:
    either = {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]}
    mold = mold_of([policy(cap_list(2), when=["status.port Gt 5"])]).members["status"]
    shape(mold, Schema.of(an_object("port", port=either)))
    assert {type(Dice(str(number)).value(mold)["port"]) for number in range(99)} == {int, str}


@pytest.mark.parametrize(
    "form",
    [
        pytest.param({"enum": ["Running", "Done"]}, id="an enum"),
        pytest.param({"format": "date-time"}, id="a time"),
        pytest.param({"minLength": 12}, id="a length"),
        pytest.param({"pattern": "^[ab]$"}, id="a pattern that a short word meets"),
    ],
)
def test_texts_have_the_form_that_is_demanded(form: Json) -> None:
    schema = Schema.of(TEXT | form)
    for each in drawn(policy(cap_list(2)), an_object("message", message=TEXT | form)):
        assert schema.text.admits(each["message"])


def test_times_that_are_demanded_can_be_read() -> None:
    item = an_object("t", t=TEXT | {"format": "date-time"})
    for items in histories(policy(cap_list(2, by="t Time")), a_list(item)):
        assert all(is_date_time(item["t"]) for item in items)


def test_lists_have_as_many_items_as_are_demanded() -> None:
    lists = histories(policy(cap_list(2)), a_list(an_object("n", n=TEXT), minItems=4))
    assert min(map(len, lists)) == 4


def test_keys_tell_items_apart() -> None:
    keyed = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
    lists = histories(policy(dedupe("First", ["message"]), cap_list(2)), a_list(an_object(name=TEXT), **keyed))
    assert max(map(len, lists)) > 1
    for items in lists:
        names = [item["name"] for item in items]
        assert len(names) == len(set(names))


def test_no_item_of_a_set_is_there_twice() -> None:
    lists = histories(policy(cap_list(2)), a_list(TEXT, **{"x-kubernetes-list-type": "set"}))
    assert max(map(len, lists)) > 1
    assert all(len(items) == len(set(items)) for items in lists)


def test_a_map_over_named_members_draws_their_names() -> None:
    status = an_object(nodes=an_object(a=an_object(m=TEXT), b=an_object(m=TEXT)))
    names = {name for each in drawn(policy(cap_list(1, at="status.nodes.*")), status) for name in each.get("nodes", {})}
    assert names == {"a", "b"}


def test_a_map_has_as_many_entries_as_are_demanded_and_those_by_name() -> None:
    nodes = {"type": "object", "minProperties": 3, "required": ["main"], "properties": {"main": TEXT}}
    found = drawn(policy(cap_map(1)), an_object("nodes", nodes=nodes | {"additionalProperties": TEXT}))
    assert all(len(each["nodes"]) >= 3 and "main" in each["nodes"] for each in found)


def test_the_limits_of_a_schema_are_overstepped_where_a_policy_fits_to_it() -> None:
    status = an_object("message", "history", message=TEXT | {"maxLength": 30}, history=a_list(TEXT, maxItems=3))
    found = drawn(policy(fit_schema("status.message", "status.history")), status, to_the_limit=True, times=400)
    assert {4, 5} <= {len(each["history"]) for each in found}
    assert max(len(each["message"]) for each in found) > 30


def test_what_is_a_list_to_a_policy_and_a_text_to_the_schema_is_a_text() -> None:
    for each in drawn(policy(cap_list(2)), an_object("history", history=TEXT)):
        assert type(each["history"]) is str


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        pytest.param({}, an_object("a", a=TEXT), id="a member"),
        pytest.param({"x": {}}, an_object(x=an_object("a", a=TEXT)), id="a member further in"),
        pytest.param({"x": 1}, {"minProperties": 2}, id="entries"),
        pytest.param([], {"minItems": 1}, id="an item"),
        pytest.param([{}], {"x-kubernetes-list-map-keys": ["name"]}, id="a key"),
        pytest.param([""], a_list({"minLength": 1}), id="a character"),
    ],
)
def test_sees_what_is_lacking(value: Json, schema: Json) -> None:
    assert lacks(value, Schema.of(schema))
    assert not lacks(value, None)


def test_sees_that_nothing_is_lacking() -> None:
    schema = an_object("a", a=a_list(an_object("n", n=TEXT), minItems=1), b={"type": "integer"})
    assert not lacks({"a": [{"n": "x"}], "b": 1}, Schema.of(schema))


def test_a_path_into_a_shaped_mold_is_still_found() -> None:
    assert shaped(policy(cap_list(2)), an_object(history=a_list(TEXT))).at(path("history[*]")).kind == "string"


def nested(levels: int) -> Json:
    """Lists inside each other, each of two items at least: without a bound, more than there are atoms."""
    return a_list(nested(levels - 1), minItems=2) if levels else TEXT


@pytest.mark.parametrize(
    "demanding",
    [
        pytest.param(nested(80), id="lists inside each other"),
        pytest.param({"type": "array", "items": TEXT, "minItems": 10**9}, id="items"),
        pytest.param({"type": "object", "additionalProperties": TEXT, "minProperties": 10**9}, id="entries"),
        pytest.param(TEXT | {"minLength": 10**9}, id="characters"),
        pytest.param(
            an_object(*(f"f{n}" for n in range(9_999)), **{f"f{n}": TEXT for n in range(9_999)}), id="members"
        ),
    ],
)
def test_no_demand_makes_a_sample_large(demanding: Json) -> None:
    status = an_object("history", "more", history=a_list(an_object(n=TEXT)), more=demanding)
    for each in drawn(policy(cap_list(2)), status, times=10):
        assert len(json.dumps(each)) < 2 * MOST_BYTES
