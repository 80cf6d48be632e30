"""From policies to a verdict: trim in rounds, re-check, restore or prune who owns what, and judge the limits."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from msgspec.structs import replace as bent

from admission.engine.attributes import Attributes
from admission.engine.comparison import Broken
from admission.engine.decision import Outcome, PolicyReport, Reason, Violation
from admission.engine.document import Document
from admission.engine.eviction import Evictions, evictions
from admission.engine.giveback import GiveBack
from admission.engine.holdback import SUPPRESS, hold_back
from admission.engine.invariants import broken
from admission.engine.limits import Excess, judge
from admission.engine.noop import equals_stored, may_become_stored, restore_operations
from admission.engine.ownership import prune_operations
from admission.engine.policy import Policy
from admission.engine.rounds import MOST_ROUNDS, Rounds
from admission.engine.verdict import Verdict

Start: TypeAlias = Callable[[], Document]
"""Makes the working copy that an attempt begins with."""

_WORTH_SAYING: Final = frozenset(
    {Reason.CO_OWNED, Reason.CAP_UNREACHABLE, Reason.BUDGET_UNREACHABLE, Reason.SCHEMA_REQUIRES}
)
"""Why something stayed although a policy would have it smaller."""


def settle(
    policies: Sequence[Policy],
    attributes: Attributes,
    start: Start,
    now: int,
    spared: Collection[str] = (),
    before: Sequence[Policy] = (),
) -> Verdict:
    """Trim, re-check, hold back what is no more than a heartbeat, and judge what is left by the limits.

    A policy that breaks an invariant is left out once, with its limits; a second failure leaves all out. The policies
    named in ``spared`` may not reject this write. ``before`` are policies at work on ``start`` already; their rules
    hold beside those of ``policies``.
    """
    verdict = _held_back(policies, attributes, start, now, before)
    if any(policy.limits for policy in verdict.judged):
        found = judge(verdict.judged, verdict.document, verdict.pruned)
        _limit(verdict, tuple(bent(each, rejects=each.rejects and each.policy not in spared) for each in found))
    return verdict


def _held_back(
    policies: Sequence[Policy], attributes: Attributes, start: Start, now: int, before: Sequence[Policy]
) -> Verdict:
    verdict = _trimmed(policies, attributes, start, now)
    if not any(policy.suppress for policy in (*before, *verdict.judged)):
        return verdict
    fault = hold_back(verdict, before, attributes, now)
    if fault is None:
        return verdict
    names = [policy.name for policy in verdict.judged if policy.suppress]
    verdict = _trimmed([replace(policy, suppress=()) for policy in policies], attributes, start, now)
    verdict.reports = tuple(
        bent(report, outcome=Outcome.SKIPPED, reason=Reason.INVARIANT_VIOLATED) if report.name in names else report
        for report in verdict.reports
    )
    verdict.violations += tuple(Violation(fault.invariant, name, fault.detail, SUPPRESS) for name in names)
    return _skipped_if_unchanged(verdict)


def _limit(verdict: Verdict, excess: tuple[Excess, ...]) -> None:
    verdict.excess = excess
    if not excess:
        return
    rejecting = {excess.policy for excess in verdict.excess if excess.rejects}
    if rejecting:
        verdict.outcome, verdict.reason, verdict.patch = Outcome.REJECTED, Reason.ABOVE_LIMIT, ()
        verdict.reports = tuple(_of_a_rejected_write(report, rejecting) for report in verdict.reports)
    verdict.reason = verdict.reason or Reason.ABOVE_LIMIT
    above = {excess.policy for excess in verdict.excess}
    verdict.reports = tuple(
        bent(report, reason=report.reason or Reason.ABOVE_LIMIT) if report.name in above else report
        for report in verdict.reports
    )


def _of_a_rejected_write(report: PolicyReport, rejecting: Collection[str]) -> PolicyReport:
    """Nothing is trimmed from a write that is rejected; the steps still tell what they would have left."""
    if report.name in rejecting:
        return bent(report, outcome=Outcome.REJECTED, reason=Reason.ABOVE_LIMIT)
    return report if report.outcome is Outcome.SKIPPED else bent(report, outcome=Outcome.UNCHANGED)


def _trimmed(policies: Sequence[Policy], attributes: Attributes, start: Start, now: int) -> Verdict:
    verdict, fault = _attempt(policies, attributes, start, now)
    if fault is None:
        return verdict
    culprit, step = _culprit(policies, attributes, start, now)
    violations: tuple[Violation, ...] = (Violation(fault.invariant, culprit.name, fault.detail, step),)
    remaining = [policy for policy in policies if policy is not culprit]
    verdict, fault = _attempt(remaining, attributes, start, now)
    if fault is not None:
        violations += (Violation(fault.invariant, _culprit(remaining, attributes, start, now)[0].name, fault.detail),)
        return _nothing_done(start(), tuple(map(_left_out, policies)), violations)
    verdict.reports += (_left_out(culprit),)
    verdict.violations = violations
    return _skipped_if_unchanged(verdict)


def _skipped_if_unchanged(verdict: Verdict) -> Verdict:
    if verdict.outcome is Outcome.UNCHANGED:
        verdict.outcome, verdict.reason = Outcome.SKIPPED, Reason.INVARIANT_VIOLATED
    return verdict


def _nothing_done(document: Document, reports: tuple[PolicyReport, ...], violations: tuple[Violation, ...]) -> Verdict:
    return Verdict(Outcome.SKIPPED, document, reports, violations=violations, reason=Reason.INVARIANT_VIOLATED)


def _left_out(policy: Policy) -> PolicyReport:
    return PolicyReport(policy.name, policy.mode.value, Outcome.SKIPPED, Reason.INVARIANT_VIOLATED)


def _culprit(policies: Sequence[Policy], attributes: Attributes, start: Start, now: int) -> tuple[Policy, str]:
    """The policy with which the first failure comes, and its step: the last of the shortest failing beginning."""
    for count, policy in enumerate(policies):
        for steps in range(1, len(policy.trim) + 1):
            beginning = (*policies[:count], replace(policy, trim=policy.trim[:steps]))
            if _attempt(beginning, attributes, start, now)[1] is not None:
                return policy, policy.trim[steps - 1].step.kind
    return policies[-1], ""


def _attempt(
    policies: Sequence[Policy], attributes: Attributes, start: Start, now: int
) -> tuple[Verdict, Broken | None]:
    """What the policies make of the write, and the invariant that this would break."""
    document = start()
    rounds = Rounds(policies, document, now)
    if not document.changed:
        return _unchanged(rounds), None
    if not rounds.converged:
        return _unchanged(rounds), Broken("I4", f"still changing after {MOST_ROUNDS} rounds")
    evicted = evictions(document, attributes.field_manager)
    if evicted.places and not document.frozen and not equals_stored(document):
        return _attempt(policies, attributes, lambda: start().freeze(evicted.places), now)
    verdict = _verdict(rounds, attributes, evicted)
    return verdict, broken(document, verdict.patch, [policy.licence for policy in policies], now)


def _unchanged(rounds: Rounds) -> Verdict:
    reports = rounds.reports(Outcome.TRIMMED)
    reason = next((report.reason for report in reports if report.reason in _WORTH_SAYING), Reason.NONE)
    return Verdict(Outcome.UNCHANGED, rounds.document, reports, reason=reason, judged=rounds.ready)


def _verdict(rounds: Rounds, attributes: Attributes, evicted: Evictions) -> Verdict:
    document = rounds.document
    operations, ownership = document.operations(), document.ownership
    pruned = ownership.pruned(document.edits, document.object)
    if equals_stored(document):
        stored = document.stored_ownership
        if may_become_stored(document, attributes, pruned):
            patch = (*operations, *restore_operations(ownership, stored))
            reports = rounds.reports(Outcome.SUPPRESSED)
            reason = Reason.EQUAL_AFTER_TRIMMING
            return Verdict(Outcome.SUPPRESSED, document, reports, patch, reason=reason, judged=rounds.ready)
    pruning = (
        GiveBack.of(ownership, document.stored_ownership, pruned, evicted).operations()
        if evicted.claims
        else prune_operations(pruned)
    )
    return Verdict(
        Outcome.TRIMMED,
        document,
        rounds.reports(Outcome.TRIMMED),
        (*operations, *pruning),
        judged=rounds.ready,
        pruning=pruning,
    )
