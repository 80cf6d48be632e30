"""The policies that make the engine fail are found one by one."""

from __future__ import annotations

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision, Reason, unchanged
from admission.engine.match import ResourceRule
from admission.engine.policy import Policy, PolicySet
from admission.engine.schema import ANY, Schema, Schemas
from admission.serving.culprits import culprits
from tests.engine.build import NOW, cap_list, custom_resource, policy, write

WRITE = write(custom_resource({}))


def named(name: str, *, elsewhere: bool = False) -> Policy:
    rules = [ResourceRule(("other.io",), ("jobs/status",))] if elsewhere else None
    return policy(cap_list(2), name=name) if rules is None else policy(cap_list(2), name=name, rules=rules)


def failing_with(*names: str) -> tuple[list[PolicySet], list[str]]:
    """The sets that the engine was asked with, and who was found, when it fails with any of these policies."""
    asked: list[PolicySet] = []

    def evaluate(policies: PolicySet, attributes: Attributes, now: int) -> Decision:
        assert (attributes, now) == (WRITE, NOW)
        asked.append(policies)
        if any(each.name in names for each in policies.policies):
            raise ZeroDivisionError
        return unchanged(Reason.NONE)

    known = Schemas({(ANY, ANY, ANY): Schema()})
    policies = PolicySet.of([named("a"), named("b"), named("c"), named("far", elsewhere=True)], known)
    return asked, list(culprits(policies, WRITE, NOW, evaluate))


def test_those_with_which_it_fails_alone_are_named() -> None:
    assert failing_with("b", "c")[1] == ["b", "c"]


def test_where_it_fails_with_all_together_only_nobody_is() -> None:
    assert failing_with()[1] == []


def test_each_that_looks_at_the_write_is_asked_alone_with_what_is_known_of_its_kind() -> None:
    asked, found = failing_with("far")
    assert found == []
    assert [[each.name for each in policies.policies] for policies in asked] == [["a"], ["b"], ["c"]]
    assert all(policies.schemas.by_resource for policies in asked)
