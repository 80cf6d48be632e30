"""Policies that only observe take turns when there is no time for all of them; what is enforced never waits."""

from __future__ import annotations

from collections import Counter
from typing import Final, Protocol

import pytest

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision, Outcome
from admission.engine.evaluate import evaluate
from admission.engine.policy import Mode, Policy, PolicySet
from admission.engine.turn import BUDGET, turn_of
from admission.engine.validate import validate
from tests.engine.build import NOW, cap_list, custom_resource, limit, policy, write

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
    policies, attributes = observing(20), write(custom_resource({"history": ["x" * 2**21]}))
    assert len(turn_of(policies, attributes, BUDGET)) == 10
    assert len(turn_of(policies, attributes, 1)) == 1


def test_every_policy_has_its_turn_as_often_as_another() -> None:
    policies = observing(10)
    times = Counter(
        each.name for number in range(4000) for each in turn_of(policies, write(SMALL, uid=f"{number:08x}"), 3 * 2**18)
    )
    assert sum(times.values()) == 4000 * 2
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
