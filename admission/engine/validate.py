"""Judge a write once more, when everybody has changed it who may: by limits alone, and never with a patch.

A mutating webhook that comes later may have made the object big again. What is judged is the object as it would be
stored: the steps of enforced policies have done their work, and are not repeated.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace as bent

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision, Outcome, PolicyReport, Reason, unchanged
from admission.engine.document import Document
from admission.engine.evaluate import decision_of
from admission.engine.policy import Mode, Policy, PolicySet
from admission.engine.settle import Start, settle
from admission.engine.sides import Of, Stored
from admission.engine.turn import UNBOUNDED, in_turn
from admission.engine.verdict import Verdict


def validate(policies: PolicySet, attributes: Attributes, now: int, budget: int = UNBOUNDED) -> Decision:
    """Judge one write. ``now`` is nanoseconds since the epoch, ``budget`` bytes for the policies that only observe.

    Nothing but the limits is looked at, as long as nothing is above one. A policy whose steps would break an invariant
    was left out before, and is left out here. One that only observes is judged by what its steps would have left.

    Raises:
        DocumentError: an object in the review cannot be read.
    """
    matching = policies.limiting.matching(attributes)
    if not matching:
        return unchanged(Reason.NO_POLICY)
    roots = tuple(dict.fromkeys(policy.root for policy in matching))
    schema = policies.schemas.of(attributes)
    verdict = _enforced(policies, matching, attributes, lambda: Document.of(attributes, roots, schema), now)
    observing = [policy for policy in matching if policy.mode is not Mode.ENFORCE]
    observed = in_turn(observing, attributes, budget, partial(_observed, policies, attributes, verdict, now))
    return decision_of(verdict, observed, attributes, len(observing) - len(observed))


# --- what is enforced ------------------------------------------------------------------------------------------------


def _enforced(
    policies: PolicySet, matching: Sequence[Policy], attributes: Attributes, start: Start, now: int
) -> Verdict:
    limiting = [policy for policy in matching if policy.mode is Mode.ENFORCE]
    verdict = settle(limiting, attributes, start, now)
    if verdict.rejection is None:
        return verdict
    left_out = _left_out(policies, attributes, now)
    judged = [policy for policy in limiting if policy.name not in left_out]
    spared = _spared(judged, verdict.document, policies, attributes)
    verdict = settle(judged, attributes, start, now, spared)
    verdict.reports += tuple(left_out[policy.name] for policy in limiting if policy.name in left_out)
    return verdict


def _left_out(policies: PolicySet, attributes: Attributes, now: int) -> dict[str, PolicyReport]:
    """The enforced policies that the mutating phase leaves out of such a write."""
    enforced = [policy for policy in policies.matching(attributes) if policy.mode is Mode.ENFORCE]
    roots = tuple(dict.fromkeys(policy.root for policy in enforced))
    schema = policies.schemas.of(attributes)
    verdict = settle(enforced, attributes, lambda: Document.of(attributes, roots, schema), now)
    return {report.name: report for report in verdict.reports if report.reason is Reason.INVARIANT_VIOLATED}


def _spared(judged: Sequence[Policy], document: Document, policies: PolicySet, attributes: Attributes) -> list[str]:
    """The policies whose root is no larger than the stored one, where trimming may have made it another.

    The mutating phase rejects no write that leaves the root as it is stored, but it may have trimmed it since, and by
    owners that nobody can tell from here: the stored ``managedFields`` may name others than the submitted ones. So
    what would have been sent cannot be asked, and the size must do. On a ``/status`` write, which brings nothing but
    the status, that is only so where texts are cut: the marker can make a few wide characters more characters.
    """
    if attributes.stored is None:
        return []
    cut = _cut_roots(policies, attributes) if attributes.on_status else None
    candidates = [policy for policy in judged if cut is None or policy.root in cut]
    return [policy.name for policy in candidates if _is_no_larger(policy.root, document)]


def _cut_roots(policies: PolicySet, attributes: Attributes) -> set[str]:
    """The roots in which an enforced policy cuts texts."""
    matching = policies.matching(attributes)
    return {policy.root for policy in matching if policy.mode is Mode.ENFORCE and policy.licence.cutting}


def _is_no_larger(root: str, document: Document) -> bool:
    return document.size_of_root(root) <= Stored(document, root).size(Of.STATUS, 0)


# --- what only observes ----------------------------------------------------------------------------------------------


def _observed(policies: PolicySet, attributes: Attributes, enforced: Verdict, now: int, policy: Policy) -> Verdict:
    spared = _spared([policy], enforced.document, policies, attributes)
    verdict = settle((policy,), attributes, enforced.copy, now, spared)
    whole = policies.by_name[policy.name]
    whole = whole if whole.mode is policy.mode else whole.outside or whole
    if verdict.excess and whole.trim:
        return _limits_of(settle((whole,), attributes, enforced.copy, now, spared))
    return verdict


def _limits_of(verdict: Verdict) -> Verdict:
    """A verdict without what steps would have done."""
    if verdict.outcome is not Outcome.REJECTED:
        verdict.outcome, verdict.reason = Outcome.UNCHANGED, Reason.ABOVE_LIMIT if verdict.excess else Reason.NONE
    verdict.patch, verdict.violations = (), ()
    verdict.reports = tuple(_limits_of_report(report, verdict) for report in verdict.reports)
    return verdict


def _limits_of_report(report: PolicyReport, verdict: Verdict) -> PolicyReport:
    if report.outcome is Outcome.SKIPPED:
        return bent(report, steps=())
    return bent(report, outcome=verdict.outcome, reason=verdict.reason, steps=())
