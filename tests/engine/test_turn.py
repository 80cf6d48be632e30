"""Policies that only observe take turns when there is no time for all of them; what is enforced never waits."""

from __future__ import annotations

from collections import Counter
from typing import Final, Protocol

import pytest

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision, Outcome
from admission.engine.evaluate import evaluate
from admission.engine.policy import Mode, Policy, PolicySet
from admission.engine.turn import BUDGET, UNBOUNDED
from admission.engine.validate import validate
from tests.engine.build import NOW, cap_list, custom_resource, limit, policy, truncate, write

SMALL: Final = custom_resource({"history": [1, 2, 3]})
MANY: Final = 300


class Engine(Protocol):
    """The engine in one of its phases."""

    def __call__(self, policies: PolicySet, attributes: Attributes, now: int, budget: int) -> Decision: ...


def observing(count: int, mode: Mode = Mode.DRY_RUN) -> list[Policy]:
    return [policy(cap_list(1), name=f"p{number:03}", mode=mode, limits=[limit(2)]) for number in range(count)]


def looked(decision: Decision) -> list[str]:
    return [report.name for report in decision.policies]


@pytest.mark.parametrize("function", [evaluate, validate])
@pytest.mark.parametrize("mode", [Mode.DRY_RUN, Mode.WARN])
def test_so_many_look_at_a_write_and_the_rest_is_counted(function: Engine, mode: Mode) -> None:
    policies = PolicySet.of(observing(MANY, mode))
    decision = function(policies, write(SMALL), NOW, BUDGET)
    assert len(decision.policies) == 95
    assert decision.unobserved == MANY - 95
    assert looked(decision) == sorted(looked(decision))
    assert function(policies, write(SMALL), NOW, BUDGET) == decision, "the same review has the same answer"


def test_of_a_large_object_fewer_look_and_one_always() -> None:
    policies, attributes = PolicySet.of(observing(20)), write(custom_resource({"history": ["x" * 2**21]}))
    assert evaluate(policies, attributes, NOW, BUDGET).unobserved == 10
    assert evaluate(policies, attributes, NOW, 1).unobserved == 19


@pytest.mark.parametrize("function", [evaluate, validate])
def test_where_many_texts_are_cut_fewer_look(function: Engine) -> None:
    step = truncate(9, "status.history[*].text", marker="")
    policies = [policy(step, name=f"p{number:02}", mode=Mode.DRY_RUN, limits=[limit(2)]) for number in range(50)]
    attributes = write(custom_resource({"history": [{"text": "x" * 99}] * 500}))
    assert 1 < len(function(PolicySet.of(policies), attributes, NOW, BUDGET).policies) < 10
    assert function(PolicySet.of(policies), attributes, NOW, UNBOUNDED).unobserved == 0


def test_where_many_items_go_as_many_look_as_ever() -> None:
    attributes = write(custom_resource({"history": list(range(2000))}))
    assert evaluate(PolicySet.of(observing(50)), attributes, NOW, BUDGET).unobserved == 0


def test_every_policy_has_its_turn_as_often_as_another() -> None:
    policies = PolicySet.of(observing(10))
    times = Counter(
        name
        for number in range(2000)
        for name in looked(evaluate(policies, write(SMALL, uid=f"{number:08x}"), NOW, 3 * 2**18))
    )
    assert sum(times.values()) == 2000 * 2
    assert len(times) == 10
    assert min(times.values()) > 0.8 * max(times.values())


def test_what_is_enforced_always_looks() -> None:
    policies = [*observing(MANY), *observing(MANY, Mode.ENFORCE)]
    named = [policy(cap_list(1), name=f"{each.mode}-{each.name}", mode=each.mode) for each in policies]
    decision = evaluate(PolicySet.of(named), write(SMALL), NOW, BUDGET)
    assert sum(name.startswith("Enforce") for name in looked(decision)) == MANY
    assert (decision.outcome, decision.unobserved) == (Outcome.TRIMMED, MANY - 95)


def test_without_a_budget_or_when_they_are_few_all_look() -> None:
    assert evaluate(PolicySet.of(observing(MANY)), write(SMALL), NOW).unobserved == 0
    assert evaluate(PolicySet.of(observing(90)), write(SMALL), NOW, BUDGET).unobserved == 0
