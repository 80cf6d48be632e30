"""Judge a write: match, settle what is enforced and what is only observed, apply the mode, word the decision."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace as bent

from admission.engine.attributes import Attributes
from admission.engine.decision import STRENGTH, WOULD, Decision, Outcome, PolicyReport, Reason, unchanged
from admission.engine.document import Document
from admission.engine.measure import stored_size
from admission.engine.policy import Mode, Policy, PolicySet
from admission.engine.settle import settle
from admission.engine.turn import UNBOUNDED, in_turn
from admission.engine.verdict import Verdict
from admission.engine.warning import rejection_message, warnings


def evaluate(policies: PolicySet, attributes: Attributes, now: int, budget: int = UNBOUNDED) -> Decision:
    """Judge one write. ``now`` is nanoseconds since the epoch, ``budget`` bytes for the policies that only observe.

    Enforced policies work on one copy, in order; every other policy then works alone on a copy of what they let pass.
    The mode is applied last, to finished verdicts. When those that only observe are too many, some of them look.

    Raises:
        DocumentError: an object in the review cannot be read.
    """
    matching = policies.matching(attributes)
    if not matching:
        return unchanged(Reason.NO_POLICY)
    roots = tuple(dict.fromkeys(policy.root for policy in matching))
    enforced = tuple(policy for policy in matching if policy.mode is Mode.ENFORCE)
    schema = policies.schemas.of(attributes)
    verdict = settle(enforced, attributes, lambda: Document.of(attributes, roots, schema), now)
    observing = matching if not enforced else [policy for policy in matching if policy.mode is not Mode.ENFORCE]
    observed = in_turn(observing, attributes, budget, partial(_observed, attributes, verdict, now))
    return decision_of(verdict, observed, attributes, len(observing) - len(observed))


def _observed(attributes: Attributes, enforced: Verdict, now: int, policy: Policy) -> Verdict:
    """What a policy that only observes would have made of what the enforced ones let pass."""
    return settle((policy,), attributes, enforced.copy, now, before=enforced.judged)


def decision_of(
    verdict: Verdict, observed: Sequence[tuple[Policy, Verdict]], attributes: Attributes, unobserved: int
) -> Decision:
    """Apply the modes: what is enforced happens, what others would have done is told; so many had no turn."""
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
        policies=verdict.reports
        + tuple(_as_observed(report, policy) for policy, other in observed for report in other.reports),
        patch=verdict.patch,
        message="" if shown.rejection is None else rejection_message(shown.rejection),
        bytes_before=verdict.document.submitted_size(),
        bytes_after=shown.document.root_size(),
        object_bytes=_object_size(attributes),
        warnings=warnings(verdict, observed),
        violations=verdict.violations + tuple(v for _, other in observed for v in other.violations),
        unobserved=unobserved,
    )


def _object_size(attributes: Attributes) -> int:
    value = attributes.submitted if attributes.stored is None else attributes.stored
    return len(value) if attributes.compact else stored_size(bytes(value))


def _as_observed(report: PolicyReport, policy: Policy) -> PolicyReport:
    reason = report.reason or (Reason.OUTSIDE_ROLLOUT if policy.is_left_out else Reason.NONE)
    return bent(report, outcome=WOULD.get(report.outcome, report.outcome), reason=reason)
