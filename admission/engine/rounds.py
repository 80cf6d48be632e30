"""Rounds: the steps of some policies, applied to one document again and again until nothing changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from admission.engine.decision import Outcome, PolicyReport, Reason, StepReport
from admission.engine.document import Document
from admission.engine.policy import Policy, Trim
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
            self._ready = [n for n, p in enumerate(self.policies) if not p.match.when or self._meets(p)]
            for number in self._ready:
                self._apply(number)
            if self.document.revision == before:
                return True
        return False

    def _apply(self, number: int) -> None:
        policy = self.policies[number]
        self._reached[number] = True
        self.document.licence, self.document.root = policy.licence, policy.root
        for total, entry in zip(self._effects[number], policy.trim, strict=True):
            if not entry.when or self.document.meets(entry.when, self._now):
                total.add(entry.step.apply(self.document, self._now))

    def _meets(self, policy: Policy) -> bool:
        return self.document.meets(policy.match.when, self._now, stored_rest=True)

    @property
    def ready(self) -> list[Policy]:
        """The policies that look at the document as it is now: their ``match.when`` holds."""
        return [self.policies[number] for number in self._ready]

    def reports(self, changed_as: Outcome) -> tuple[PolicyReport, ...]:
        """What each policy did; ``changed_as`` is the outcome of those that changed something."""
        return tuple(self._report(number, changed_as) for number in range(len(self.policies)))

    def _report(self, number: int, changed_as: Outcome) -> PolicyReport:
        policy = self.policies[number]
        steps = tuple(_step_reports(policy.trim, self._effects[number]))
        changed = any(step.items for step in steps)
        reason = next((step.reason for step in steps if step.reason), Reason.NONE)
        if not self._reached[number]:
            reason = Reason.WHEN_NOT_MET
        return PolicyReport(policy.name, policy.mode.value, changed_as if changed else Outcome.UNCHANGED, reason, steps)


def _step_reports(entries: Sequence[Trim], effects: Sequence[Effect], holder: str = "") -> Iterator[StepReport]:
    """A report for each step, and behind it for each of the steps inside of it that ran."""
    for entry, effect in zip(entries, effects, strict=True):
        kind = f"{holder}{entry.step.kind}"
        found = effect.found if effect.ran else None
        yield StepReport(kind, entry.paths, found, effect.items, effect.bytes, effect.reason, effect.put_back)
        ran = [(each, inner) for each, inner in zip(entry.inner, effect.inner, strict=False) if inner.ran]
        yield from _step_reports([each for each, _ in ran], [inner for _, inner in ran], f"{kind}.")
