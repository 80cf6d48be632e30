"""No step into a value without asking what it is. What these expressions mean is judged in ``test_judged``."""

from __future__ import annotations

import pytest

from admission.prefilter.guarded import Cel, all_of, any_of, anything, differs, is_text, reaches
from tests.engine.build import path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("status", "has(object.status) && type(object.status) == string", id="a member of the object"),
        pytest.param(
            "status.a",
            "has(object.status) && type(object.status) == map && has(object.status.a) && "
            "type(object.status.a) == string",
            id="a member of a member",
        ),
        pytest.param(
            "status['a-b']",
            'has(object.status) && type(object.status) == map && "a-b" in object.status && '
            'type(object.status["a-b"]) == string',
            id="a name that is no identifier",
        ),
        pytest.param(
            "status.in",
            'has(object.status) && type(object.status) == map && "in" in object.status && '
            'type(object.status["in"]) == string',
            id="a name that CEL keeps for itself",
        ),
        pytest.param(
            "status[*]",
            "has(object.status) && type(object.status) == list && (size(object.status) > 500 || "
            "object.status.exists(x0, type(x0) == string))",
            id="items",
        ),
        pytest.param(
            "status.*",
            "has(object.status) && type(object.status) == map && (size(object.status) > 500 || "
            "object.status.exists(x0, type(object.status[x0]) == string))",
            id="entries",
        ),
    ],
)
def test_every_value_is_asked_what_it_is(text: str, expected: str) -> None:
    assert reaches(path(text), is_text).text == expected


def test_two_lists_inside_each_other_are_looked_at_for_less() -> None:
    found = reaches(path("status[*].parts[1:].text"), is_text).text
    assert found.count("> 25 ||") == 2
    assert "x1" in found


def test_a_third_one_is_not_looked_at() -> None:
    assert "text" not in reaches(path("status[*].a[*].b[*].text"), is_text).text


def test_what_leads_to_anything_needs_no_pass() -> None:
    assert reaches(path("status[*]"), anything).text == (
        "has(object.status) && type(object.status) == list && size(object.status) > 0"
    )


def test_a_difference_is_asked_for_where_both_have_something_and_as_far_as_names_lead() -> None:
    assert differs(path("status.nodes.*.t")).text == (
        "has(object.status) && type(object.status) == map && has(object.status.nodes) && "
        "type(oldObject) == map && has(oldObject.status) && type(oldObject.status) == map && "
        "has(oldObject.status.nodes) && object.status.nodes != oldObject.status.nodes"
    )


@pytest.mark.parametrize(
    ("parts", "expected"), [([], "false"), (["a"], "a"), (["a", "a"], "a"), (["a", "b && c"], "(a) || (b && c)")]
)
def test_one_of_some(parts: list[str], expected: str) -> None:
    assert any_of(map(Cel.of, parts)).text == expected


def test_what_is_always_true_is_left_out() -> None:
    assert all_of("true", "a", Cel.of("b")).text == "a && b"
    assert all_of("true").text == "true"


def test_a_pass_costs_as_much_as_its_items_together() -> None:
    alone, in_a_list, in_two = (reaches(path(text), is_text).cost for text in ("status", "status[*]", "status[*][*]"))
    assert 100 * alone < in_a_list < 1_000 * alone
    assert in_a_list < in_two < 2 * in_a_list
    assert all_of(Cel("a", 3), Cel("b", 4)).cost == any_of([Cel("a", 3), Cel("b", 4)]).cost == 7
