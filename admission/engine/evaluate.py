"""Put the parts in order: match, trim in rounds, re-check, restore or prune, and word the decision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from msgspec import Raw

from admission.engine.attributes import STATUS, Attributes
from admission.engine.decision import (
    STRENGTH,
    WOULD,
    Decision,
    Op,
    Outcome,
    PolicyReport,
    Reason,
    StepReport,
    Violation,
    unchanged,
)
from admission.engine.document import Document
from admission.engine.invariants import Broken, broken
from admission.engine.ownership import Ownership, may_restore, prune_operations, restore_operations
from admission.engine.policy import Mode, Policy, PolicySet
from admission.engine.requirement import Requirement
from admission.engine.steps import Effect
from admission.engine.values import opened, same

MOST_ROUNDS: Final = 3
"""Rounds that may change something; a change in the next one is a violation (steps that undo each other)."""

_LONGEST_WARNING: Final = 256  # the API server cuts longer ones when all together are above 4,096 characters
_MOST_WARNINGS: Final = 8
_WORTH_SAYING: Final = frozenset({Reason.INVARIANT_VIOLATED, Reason.CO_OWNED, Reason.CAP_UNREACHABLE})
"""Why something stayed although a policy would have it smaller."""
_REWRITTEN_BY_THE_SERVER: Final = frozenset({"resourceVersion", "generation", "managedFields"})


def evaluate(policies: PolicySet, attributes: Attributes, now: int) -> Decision:
    """Judge one write. ``now`` is nanoseconds since the epoch.

    Enforced policies work on one copy, in order; every other policy then works alone on a copy of what they let pass.
    The mode is applied last, to finished verdicts.

    Raises:
        DocumentError: an object in the review cannot be read.
    """
    matching = policies.matching(attributes)
    if not matching:
        return unchanged(Reason.NO_POLICY)
    enforced = tuple(policy for policy in matching if policy.mode is Mode.ENFORCE)
    verdict = _settle(enforced, attributes, lambda: Document.of(attributes, STATUS), now)
    observed = [
        (policy, _settle((policy,), attributes, verdict.copy, now))
        for policy in matching
        if policy.mode is not Mode.ENFORCE
    ]
    return _decision(verdict, observed, attributes)


@dataclass(slots=True)
class Verdict:
    """What a set of policies makes of one write, before any mode is applied."""

    outcome: Outcome
    document: Document
    reports: tuple[PolicyReport, ...] = ()
    patch: tuple[Op, ...] = ()
    violations: tuple[Violation, ...] = ()
    reason: Reason = Reason.NONE

    def copy(self) -> Document:
        """A fresh working copy of the object as this verdict lets it pass."""
        return self.document.fork()


# --- from steps to a verdict -----------------------------------------------------------------------------------------


def _settle(policies: Sequence[Policy], attributes: Attributes, start: Callable[[], Document], now: int) -> Verdict:
    """Trim, and re-check. A policy that breaks an invariant is left out once; a second failure leaves all out."""
    violations: list[Violation] = []
    left_out: list[PolicyReport] = []
    remaining = tuple(policies)
    while True:
        document = start()
        run = _Run(remaining, document, now)
        fault = run.fault()
        if fault is None:
            return _verdict(run, attributes, tuple(violations), tuple(left_out))
        culprit = _culprit(remaining, start, now) or remaining[-1]
        violations.append(Violation(fault.invariant, culprit.name, fault.detail))
        if len(violations) > 1:
            reports = tuple(_left_out(policy) for policy in policies)
            return Verdict(
                Outcome.SKIPPED, start(), reports, violations=tuple(violations), reason=Reason.INVARIANT_VIOLATED
            )
        left_out.append(_left_out(culprit))
        remaining = tuple(policy for policy in remaining if policy is not culprit)


def _left_out(policy: Policy) -> PolicyReport:
    return PolicyReport(policy.name, policy.mode.value, Outcome.SKIPPED, Reason.INVARIANT_VIOLATED)


def _culprit(policies: Sequence[Policy], start: Callable[[], Document], now: int) -> Policy | None:
    """The policy with which the first failure comes: the last of the shortest failing beginning."""
    for count in range(1, len(policies) + 1):
        if _Run(policies[:count], start(), now).fault() is not None:
            return policies[count - 1]
    return None


class _Run:
    """Some policies, applied to one document until nothing changes."""

    def __init__(self, policies: Sequence[Policy], document: Document, now: int) -> None:
        self.policies = policies
        self.document = document
        self.effects = {policy.name: [Effect() for _ in policy.trim] for policy in policies}
        self.reached: set[str] = set()
        self._now = now
        self.converged = self._rounds()
        self.patch = document.operations() if document.changed else []

    def _rounds(self) -> bool:
        for _ in range(MOST_ROUNDS + 1):
            before = self.document.revision
            ready = [p for p in self.policies if not p.match.when or self._met(p.match.when, stored_rest=True)]
            for policy in ready:
                self._apply(policy)
            if self.document.revision == before:
                return True
        return False

    def _apply(self, policy: Policy) -> None:
        self.reached.add(policy.name)
        self.document.licence = policy.licence
        for total, entry in zip(self.effects[policy.name], policy.trim, strict=True):
            if not entry.when or self._met(entry.when, stored_rest=False):
                effect = entry.step.apply(self.document, self._now)
                total.found |= effect.found
                total.items += effect.items
                total.bytes += effect.bytes
                total.reason = effect.reason or total.reason

    def _met(self, requirements: Sequence[Requirement], *, stored_rest: bool) -> bool:
        for requirement in requirements:
            holder, key = self.document.holder_of(requirement.field, stored_rest=stored_rest)
            if not requirement.met(holder, key, self._now):
                return False
        return True

    def fault(self) -> Broken | None:
        """The invariant that this run breaks, or None."""
        if not self.converged:
            return Broken("I4", f"still changing after {MOST_ROUNDS} rounds")
        if not self.document.changed:
            return None
        return broken(self.document, self.patch, [policy.licence for policy in self.policies])

    def reports(self, changed_as: Outcome) -> tuple[PolicyReport, ...]:
        """What each policy did; ``changed_as`` is the outcome of those that changed something."""
        return tuple(self._report(policy, changed_as) for policy in self.policies)

    def _report(self, policy: Policy, changed_as: Outcome) -> PolicyReport:
        steps = tuple(
            StepReport(
                entry.step.kind,
                entry.paths,
                effect.found,
                effect.items,
                effect.bytes,
                effect.reason,
            )
            for entry, effect in zip(policy.trim, self.effects[policy.name], strict=True)
        )
        changed = any(step.items for step in steps)
        reason = next((step.reason for step in steps if step.reason), Reason.NONE)
        if policy.name not in self.reached:
            reason = Reason.WHEN_NOT_MET
        return PolicyReport(policy.name, policy.mode.value, changed_as if changed else Outcome.UNCHANGED, reason, steps)


def _verdict(
    run: _Run, attributes: Attributes, violations: tuple[Violation, ...], left_out: tuple[PolicyReport, ...]
) -> Verdict:
    document = run.document
    if not document.changed:
        reports = run.reports(Outcome.TRIMMED) + left_out
        reason = next((report.reason for report in reports if report.reason in _WORTH_SAYING), Reason.NONE)
        return Verdict(Outcome.UNCHANGED, document, reports, violations=violations, reason=reason)
    ownership = document.ownership
    pruned = ownership.pruned(document.edits, document.object)
    if _equals_stored(document):
        stored = Ownership.of(document.stored_object)
        if may_restore(ownership, stored, pruned, attributes.field_manager) and (
            attributes.on_status or _rest_is_stored(document)
        ):
            patch = (*run.patch, *restore_operations(ownership, stored))
            reports = run.reports(Outcome.SUPPRESSED) + left_out
            return Verdict(Outcome.SUPPRESSED, document, reports, patch, violations, reason=Reason.EQUAL_AFTER_TRIMMING)
    patch = (*run.patch, *prune_operations(pruned))
    return Verdict(Outcome.TRIMMED, document, run.reports(Outcome.TRIMMED) + left_out, patch, violations)


def _equals_stored(document: Document) -> bool:
    stored = document.stored_object
    if stored is None or document.root not in stored or document.root not in document.object:
        return False
    before = stored[document.root]
    if document.compact and type(before) is Raw and len(before) != document.root_size():
        return False  # in Go's form equal values are equally long
    return same(document.object[document.root], before)


def _rest_is_stored(document: Document) -> bool:
    """True when a main-resource write changes nothing outside the root but what the API server rewrites itself."""
    stored, sent = document.stored_object or {}, document.object
    if stored.keys() - {document.root} != sent.keys() - {document.root}:
        return False
    for key in sent.keys() - {document.root, "metadata"}:
        if not same(sent[key], stored[key]):
            return False
    metadata, before = opened(sent.get("metadata", Raw(b"{}"))), opened(stored.get("metadata", Raw(b"{}")))
    if not isinstance(metadata, dict) or not isinstance(before, dict):
        return False
    names = metadata.keys() - _REWRITTEN_BY_THE_SERVER
    return names == before.keys() - _REWRITTEN_BY_THE_SERVER and all(
        same(metadata[name], before[name]) for name in names
    )


# --- from verdicts to a decision -------------------------------------------------------------------------------------


def _decision(verdict: Verdict, observed: Sequence[tuple[Policy, Verdict]], attributes: Attributes) -> Decision:
    outcome, reason, shown = verdict.outcome, verdict.reason, verdict
    if outcome is Outcome.UNCHANGED:
        strongest = min(
            (other for _, other in observed if other.outcome in WOULD),
            key=lambda other: STRENGTH.index(WOULD[other.outcome]),
            default=None,
        )
        if strongest is not None:
            outcome, reason, shown = WOULD[strongest.outcome], strongest.reason, strongest
    return Decision(
        outcome=outcome,
        reason=reason,
        policies=verdict.reports + tuple(_as_observed(report) for _, other in observed for report in other.reports),
        patch=verdict.patch,
        bytes_before=verdict.document.submitted_size(),
        bytes_after=shown.document.root_size(),
        object_bytes=len(memoryview(attributes.stored or attributes.submitted)),
        warnings=tuple(_warnings(observed)),
        violations=verdict.violations + tuple(v for _, other in observed for v in other.violations),
    )


def _as_observed(report: PolicyReport) -> PolicyReport:
    would = WOULD.get(report.outcome, report.outcome)
    return PolicyReport(report.name, report.mode, would, report.reason, report.steps)


def _warnings(observed: Sequence[tuple[Policy, Verdict]]) -> list[str]:
    texts = [
        _one_line(f"statuscap: policy {policy.name} {_would(verdict)}")
        for policy, verdict in observed
        if policy.mode is Mode.WARN and verdict.outcome in WOULD
    ]
    return texts[:_MOST_WARNINGS]


def _would(verdict: Verdict) -> str:
    items = sum(report.items for report in verdict.reports)
    saved = sum(report.bytes_removed for report in verdict.reports)
    if verdict.outcome is Outcome.SUPPRESSED:
        return "would make this write a no-op: trimmed, the status equals the stored one"
    return f"would remove {saved} bytes of this status ({items} {'item' if items == 1 else 'items'} removed or cut)"


def _one_line(text: str) -> str:
    return " ".join(text.split())[:_LONGEST_WARNING]
