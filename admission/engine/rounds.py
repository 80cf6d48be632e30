"""Rounds: the steps of some policies, applied to one document again and again until nothing changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from admission.engine.decision import Outcome, PolicyReport, Reason, StepReport
from admission.engine.document import Document
from admission.engine.policy import Policy
from admission.engine.requirement import Requirement
from admission.engine.steps import Effect

MOST_ROUNDS: Final = 3
"""Rounds that may change something; a change in the next one is a violation (steps that undo each other)."""


class Rounds:
    """Some policies at work on one document.

    ``match.when`` of every policy is read at the start of a round, ``when`` of a step where the step finds the object.
    ``converged`` is False when the document still changed in the round after the last one that may.
    """

    def __init__(self, policies: Sequence[Policy], document: Document, now: int) -> None:
        """Run. ``now`` is nanoseconds since the epoch."""
        self.policies = policies
        self.document = document
        document.at_work = [policy.licence for policy in policies]
        self._effects = [[Effect() for _ in policy.trim] for policy in policies]
        self._reached = [False] * len(policies)
        self._ready: list[int] = []
        self._now = now
        self.converged = self._run()

    def _run(self) -> bool:
        for _ in range(MOST_ROUNDS + 1):
            before = self.document.revision
            self._ready = [n for n, p in enumerate(self.policies) if not p.match.when or self._met(p.match.when, True)]
            for number in self._ready:
                self._apply(number)
            if self.document.revision == before:
                return True
        return False

    def _apply(self, number: int) -> None:
        policy = self.policies[number]
        self._reached[number] = True
        self.document.licence = policy.licence
        for total, entry in zip(self._effects[number], policy.trim, strict=True):
            if not entry.when or self._met(entry.when, False):
                effect = entry.step.apply(self.document, self._now)
                total.ran = True
                total.found |= effect.found
                total.items += effect.items
                total.put_back += effect.put_back
                total.bytes += effect.bytes
                total.reason = effect.reason or total.reason

    def _met(self, requirements: Sequence[Requirement], stored_rest: bool) -> bool:
        for requirement in requirements:
            holder, key = self.document.holder_of(requirement.field, stored_rest=stored_rest)
            if not requirement.met(holder, key, self._now):
                return False
        return True

    @property
    def ready(self) -> list[Policy]:
        """The policies that look at the document as it is now: their ``match.when`` holds."""
        return [self.policies[number] for number in self._ready]

    def reports(self, changed_as: Outcome) -> tuple[PolicyReport, ...]:
        """What each policy did; ``changed_as`` is the outcome of those that changed something."""
        return tuple(self._report(number, changed_as) for number in range(len(self.policies)))

    def _report(self, number: int, changed_as: Outcome) -> PolicyReport:
        policy = self.policies[number]
        steps = tuple(
            StepReport(
                entry.step.kind,
                entry.paths,
                effect.found if effect.ran else None,
                effect.items,
                effect.bytes,
                effect.reason,
                effect.put_back,
            )
            for entry, effect in zip(policy.trim, self._effects[number], strict=True)
        )
        changed = any(step.items for step in steps)
        reason = next((step.reason for step in steps if step.reason), Reason.NONE)
        if not self._reached[number]:
            reason = Reason.WHEN_NOT_MET
        return PolicyReport(policy.name, policy.mode.value, changed_as if changed else Outcome.UNCHANGED, reason, steps)
