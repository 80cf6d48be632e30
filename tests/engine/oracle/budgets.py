"""Whether a budget was kept, and no more was done than that took: sizes said slowly, over decoded JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from admission.engine.decision import Decision, Outcome, Reason
from admission.engine.policy import Mode, Policy
from admission.engine.sides import Of
from admission.engine.steps import Budget, RestoreTimes
from tests.engine.build import Json, exact
from tests.engine.oracle.gotext import size
from tests.engine.oracle.matching import looking
from tests.engine.pair import Pair


@dataclass(frozen=True, slots=True)
class _Last:
    """The last step of the last enforced policy, when that is a budget that always runs and can be measured here."""

    policy: Policy
    step: Budget

    def amount(self, result: Json, stored: Json) -> int:
        if self.step.of is Of.OBJECT:
            result = {name: value for name, value in stored.items() if name != "status"} | {"status": result["status"]}
            return size(result)
        return size(result.get(self.policy.root))


def exceeded(pair: Pair, decision: Decision, result: Json) -> Iterator[str]:
    """What is wrong with the budget that had the last word."""
    last = _last(pair)
    if last is None or decision.violations or decision.outcome not in (Outcome.TRIMMED, Outcome.UNCHANGED):
        return
    stored = None if pair.attributes.stored is None else exact(pair.attributes.stored)
    if result.get(last.policy.root) is None or (last.step.of is Of.OBJECT and stored is None):
        return
    steps = next(report.steps for report in decision.policies if report.name == last.policy.name)
    told = next(step for step in reversed(steps) if step.step == Budget.kind)
    amount, most = last.amount(result, stored), last.step.max_bytes
    if (told.reason is Reason.BUDGET_UNREACHABLE) is not (amount > most):
        yield f"budget: {amount} bytes of {most} are left, and it says {told.reason or 'nothing'}"
    ran = [step for step in steps[steps.index(told) + 1 :] if step.step.startswith(f"{Budget.kind}.")]
    alone = len(looking(pair)) == len(last.policy.trim) == 1
    puts_back = any(isinstance(entry.step, RestoreTimes) for entry in last.step.steps)
    if alone and not puts_back and ran and amount + ran[-1].bytes <= most:
        yield f"budget: {amount} bytes of {most} are left, and {ran[-1].step} saved {ran[-1].bytes} for nothing"


def _last(pair: Pair) -> _Last | None:
    enforced = [policy for policy in looking(pair) if policy.mode is Mode.ENFORCE]
    policy = max(enforced, key=lambda one: (one.priority, one.name), default=None)
    if policy is None or policy.match.when or not policy.trim or policy.trim[-1].when:
        return None
    step = policy.trim[-1].step
    if not isinstance(step, Budget) or (step.of is Of.OBJECT and not pair.attributes.on_status):
        return None
    return _Last(policy, step)
