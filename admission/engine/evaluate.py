"""Put the parts in order: match, trim in rounds, re-check, restore or prune, and word the decision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from msgspec import Raw, Struct

from admission.engine.attributes import Attributes
from admission.engine.decision import (
    STRENGTH,
    WOULD,
    Decision,
    Op,
    Outcome,
    PolicyReport,
    Reason,
    Violation,
    unchanged,
)
from admission.engine.document import Document
from admission.engine.eviction import evicted_leaves
from admission.engine.invariants import Broken, broken
from admission.engine.measure import stored_size
from admission.engine.ownership import may_restore, prune_operations, restore_operations
from admission.engine.policy import Mode, Policy, PolicySet
from admission.engine.rounds import MOST_ROUNDS, Rounds
from admission.engine.values import Object, opened, same

_LONGEST_WARNING: Final = 256  # the API server cuts longer ones when all together are above 4,096 characters
_MOST_WARNINGS: Final = 8
_WORTH_SAYING: Final = frozenset({Reason.CO_OWNED, Reason.CAP_UNREACHABLE})
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
    roots = tuple(dict.fromkeys(policy.root for policy in matching))
    enforced = tuple(policy for policy in matching if policy.mode is Mode.ENFORCE)
    verdict = _settle(enforced, attributes, lambda: Document.of(attributes, roots), now)
    observed = [
        (policy, _settle((policy,), attributes, verdict.copy, now))
        for policy in matching
        if policy.mode is not Mode.ENFORCE
    ]
    return _decision(verdict, observed, attributes)


class Verdict(Struct):
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
    if verdict.outcome is Outcome.UNCHANGED:
        return _nothing_done(verdict.document, (*verdict.reports, _left_out(culprit)), violations)
    verdict.reports += (_left_out(culprit),)
    verdict.violations = violations
    return verdict


def _nothing_done(document: Document, reports: tuple[PolicyReport, ...], violations: tuple[Violation, ...]) -> Verdict:
    return Verdict(Outcome.SKIPPED, document, reports, violations=violations, reason=Reason.INVARIANT_VIOLATED)


def _left_out(policy: Policy) -> PolicyReport:
    return PolicyReport(policy.name, policy.mode.value, Outcome.SKIPPED, Reason.INVARIANT_VIOLATED)


def _culprit(
    policies: Sequence[Policy], attributes: Attributes, start: Callable[[], Document], now: int
) -> tuple[Policy, str]:
    """The policy with which the first failure comes, and its step: the last of the shortest failing beginning."""
    for count, policy in enumerate(policies):
        for steps in range(1, len(policy.trim) + 1):
            beginning = (*policies[:count], replace(policy, trim=policy.trim[:steps]))
            if _attempt(beginning, attributes, start, now)[1] is not None:
                return policy, policy.trim[steps - 1].step.kind
    return policies[-1], ""


def _attempt(
    policies: Sequence[Policy], attributes: Attributes, start: Callable[[], Document], now: int
) -> tuple[Verdict, Broken | None]:
    """What the policies make of the write, and the invariant that this would break."""
    document = start()
    rounds = Rounds(policies, document, now)
    if not document.changed:
        return _unchanged(rounds), None
    if not rounds.converged:
        return _unchanged(rounds), Broken("I4", f"still changing after {MOST_ROUNDS} rounds")
    evicted = evicted_leaves(document, attributes.field_manager)
    if evicted and not document.frozen and not _equals_stored(document):
        return _attempt(policies, attributes, lambda: start().freeze(evicted), now)
    verdict = _verdict(rounds, attributes)
    return verdict, broken(document, verdict.patch, [policy.licence for policy in policies])


def _unchanged(rounds: Rounds) -> Verdict:
    reports = rounds.reports(Outcome.TRIMMED)
    reason = next((report.reason for report in reports if report.reason in _WORTH_SAYING), Reason.NONE)
    return Verdict(Outcome.UNCHANGED, rounds.document, reports, reason=reason)


def _verdict(rounds: Rounds, attributes: Attributes) -> Verdict:
    document = rounds.document
    operations, ownership = document.operations(), document.ownership
    pruned = ownership.pruned(document.edits, document.object)
    if _equals_stored(document):
        stored = document.stored_ownership
        if may_restore(ownership, stored, pruned, attributes.field_manager) and (
            attributes.on_status or _rest_is_stored(document)
        ):
            patch = (*operations, *restore_operations(ownership, stored))
            reports = rounds.reports(Outcome.SUPPRESSED)
            return Verdict(Outcome.SUPPRESSED, document, reports, patch, reason=Reason.EQUAL_AFTER_TRIMMING)
    return Verdict(Outcome.TRIMMED, document, rounds.reports(Outcome.TRIMMED), (*operations, *prune_operations(pruned)))


def _equals_stored(document: Document) -> bool:
    stored = document.stored_object
    return stored is not None and all(_root_equals_stored(document, root, stored) for root in document.roots)


def _root_equals_stored(document: Document, root: str, stored: Object) -> bool:
    if root not in stored or root not in document.object:
        return root not in stored and root not in document.object
    before = stored[root]
    if document.compact and type(before) is Raw and len(before) != document.size_of_root(root):
        return False  # in Go's form equal values are equally long
    return same(document.object[root], before)


def _rest_is_stored(document: Document) -> bool:
    """True when a main-resource write changes nothing outside the roots but what the API server rewrites itself."""
    stored, sent = document.stored_object or {}, document.object
    if stored.keys() - document.roots != sent.keys() - document.roots:
        return False
    for key in sent.keys() - {*document.roots, "metadata"}:
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
    if observed and outcome is Outcome.UNCHANGED:
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
        object_bytes=_object_size(attributes),
        warnings=tuple(_warnings(observed)) if observed else (),
        violations=verdict.violations + tuple(v for _, other in observed for v in other.violations),
    )


def _object_size(attributes: Attributes) -> int:
    value = attributes.submitted if attributes.stored is None else attributes.stored
    return len(value) if attributes.compact else stored_size(bytes(value))


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
