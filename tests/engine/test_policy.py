"""Policies: which writes they match, in which order, under which name."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from admission.engine.match import ResourceRule
from admission.engine.policy import Mode, Policy, PolicySet, Trim
from admission.engine.schema import Schema, Schemas
from tests.engine.build import (
    GROUP,
    budget,
    cap_list,
    custom_resource,
    drop,
    fit_schema,
    limit,
    only,
    policy,
    truncate,
    write,
)

A_WRITE = write(custom_resource({}))


def names(policies: PolicySet, **bent: str) -> list[str]:
    return [found.name for found in policies.matching(write(custom_resource({}), **bent))]


@pytest.mark.parametrize(
    ("rule", "bent", "matches"),
    [
        pytest.param(ResourceRule((GROUP,), ("jobs/status",)), {}, True, id="the resource"),
        pytest.param(ResourceRule((GROUP,), ("jobs",)), {}, False, id="the main resource"),
        pytest.param(ResourceRule((GROUP,), ("jobs",)), {"subresource": ""}, True, id="on the main resource"),
        pytest.param(ResourceRule((GROUP,), ("*/status",)), {}, True, id="every status of a group"),
        pytest.param(ResourceRule((GROUP,), ("*/status",)), {"subresource": "scale"}, False, id="but no scale"),
        pytest.param(ResourceRule((GROUP,), ("*/status",)), {"subresource": ""}, False, id="and no main resource"),
        pytest.param(ResourceRule(("other", GROUP), ("x", "jobs/status")), {}, True, id="one of several"),
        pytest.param(
            ResourceRule((GROUP,), ("jobs/status",), ("v1", "v1alpha1")), {}, True, id="one of several versions"
        ),
        pytest.param(ResourceRule((GROUP,), ("jobs/status",), ("v1",)), {}, False, id="another version"),
        pytest.param(ResourceRule((GROUP,), ("job/status",)), {}, False, id="another resource"),
        pytest.param(ResourceRule(("",), ("jobs/status",)), {}, False, id="another group"),
        pytest.param(ResourceRule(("",), ("jobs/status",)), {"group": ""}, True, id="the core group"),
    ],
)
def test_matches_by_rule(rule: ResourceRule, bent: dict[str, str], matches: bool) -> None:
    assert names(PolicySet.of([policy(rules=[rule])]), **bent) == (["volcano-job"] if matches else [])


def test_a_policy_with_two_rules_that_match_is_found_once() -> None:
    rules = [ResourceRule((GROUP,), ("jobs/status",)), ResourceRule((GROUP,), ("*/status", "jobs/status"))]
    assert names(PolicySet.of([policy(rules=rules)])) == ["volcano-job"]


def test_the_order_is_that_of_priority_and_name_not_of_files() -> None:
    star = ResourceRule((GROUP,), ("*/status",))
    made = [
        policy(name="c", priority=0, rules=[star]),
        policy(name="a", priority=10),
        policy(name="b", priority=0),
        policy(name="d", priority=-1, rules=[star]),
    ]
    for given in (made, made[::-1]):
        assert names(PolicySet.of(given)) == ["d", "b", "c", "a"]


def test_a_policy_that_is_off_never_matches() -> None:
    assert names(PolicySet.of([policy(mode=Mode.OFF)])) == []


def test_no_policies_match_nothing() -> None:
    assert PolicySet.of([]).matching(A_WRITE) == ()


def test_one_mode_for_all_policies_but_those_that_are_off() -> None:
    policies = PolicySet.of([policy(name="a", mode=Mode.DRY_RUN), policy(name="b", mode=Mode.OFF)])
    assert [each.mode for each in policies.in_mode(Mode.ENFORCE).policies] == [Mode.ENFORCE, Mode.OFF]
    assert policies.in_mode(None) is policies


def test_a_set_without_some_keeps_the_others_and_what_is_known_of_their_kinds() -> None:
    policies = PolicySet.of([policy(name="a"), policy(name="b"), policy(name="c")], Schemas())
    left = policies.without({"b", "nobody"})
    assert [each.name for each in left.policies] == ["a", "c"]
    assert left.schemas is policies.schemas
    assert policies.without(frozenset()) is policies


def test_only_enforced_policies_with_a_limit_that_rejects_can_reject() -> None:
    made = [
        policy(name=f"{mode}-{action}".lower(), mode=mode, limits=[limit(10, action=action)])
        for mode in Mode
        for action in ("Warn", "Reject")
    ]
    assert [each.name for each in PolicySet.of([*made, policy(cap_list(1))]).rejecting.policies] == ["enforce-reject"]


def test_policies_in_another_mode_know_the_same_schemas() -> None:
    policies = PolicySet.of([], Schemas({("example.com", "v1", "widgets"): Schema()}))
    assert policies.in_mode(Mode.ENFORCE).schemas is policies.schemas


def test_policies_that_come_to_know_schemas_are_the_same_policies() -> None:
    policies = PolicySet.of([policy(name="a"), policy(name="b")])
    digest, index, limiting = policies.digest, policies._by_endpoint, policies.limiting
    schemas = Schemas({("example.com", "v1", "widgets"): Schema()})
    known = policies.knowing(schemas)
    assert (known.policies, known.schemas) == (policies.policies, schemas)
    assert (known.__dict__["digest"], known.__dict__["_by_endpoint"]) == (digest, index), "not derived again"
    assert limiting.schemas != known.limiting.schemas == schemas
    assert known.knowing(schemas) is known
    assert policies.schemas == Schemas()


def test_in_place_of_a_budget_act_the_steps_that_it_holds() -> None:
    inner = only("status.phase In Done", drop("status.log"))
    made = policy(cap_list(1), budget(9, truncate(40), inner))
    assert [entry.step.kind for entry in made.trim] == ["capList", "budget"]
    assert made.acting == (Trim(cap_list(1)), Trim(truncate(40)), inner)
    assert [entry.paths for entry in made.trim] == ["status.history", "status.message, status.log"]
    assert Trim(fit_schema()).paths == "(all)"


def test_the_digest_names_exactly_these_policies() -> None:
    some, other = policy(cap_list(1)), policy(cap_list(2))
    digest = PolicySet.of([some, policy(truncate(40), name="z")]).digest
    assert digest == PolicySet.of([policy(truncate(40), name="z"), policy(cap_list(1))]).digest
    assert digest != PolicySet.of([other, policy(truncate(40), name="z")]).digest
    assert len(digest) == 12


def test_a_policy_is_frozen_and_where_it_came_from_is_no_part_of_it() -> None:
    made = policy(cap_list(1))
    assert made == Policy(made.name, made.match, made.trim, made.mode, source="elsewhere:7")
    with pytest.raises(FrozenInstanceError):
        made.priority = 7  # type: ignore[misc]
