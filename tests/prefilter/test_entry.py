"""One filter for all policies that look at a resource."""

from __future__ import annotations

from admission.prefilter import filter_of
from admission.prefilter.entry import CONDITION, LONGEST
from tests.engine.build import cap_list, fit_schema, policy, truncate

ONE, OTHER = policy(cap_list(1), name="one"), policy(cap_list(2, at="status.other"), name="other")


def test_what_any_of_the_policies_needs_is_sent() -> None:
    one, other, both = (filter_of(policies).expression for policies in ([ONE], [OTHER], [ONE, OTHER]))
    assert both == f"({one}) || ({other})"
    assert filter_of([ONE]).conditions() == [{"name": CONDITION, "expression": one}]


def test_one_that_nobody_can_decide_about_has_everything_sent() -> None:
    found = filter_of([ONE, policy(fit_schema(), name="fit")])
    assert found.conditions() == []
    assert found.reasons == ("policy fit: fitSchema goes by the schema of the kind, which CEL does not see",)


def test_an_expression_that_would_be_too_long_is_none() -> None:
    many = [policy(cap_list(1, at=f"status.list{number}"), name=f"p{number}") for number in range(300)]
    found = filter_of(many)
    assert found.expression is None
    assert found.reasons[0].startswith("300 policies make an expression of ")
    assert int(found.reasons[0].split()[-2]) > LONGEST


def test_an_expression_that_the_api_server_could_give_up_is_none() -> None:
    many = [policy(truncate(9, f"status.l{number}[*].parts[*].text"), name=f"p{number}") for number in range(42)]
    found = filter_of(many)
    assert found.expression is None
    assert found.reasons == ("42 policies look into so many lists that the API server could give up",)
