"""Answers to observe: one whole decision, each test bends one field of it."""

from __future__ import annotations

from typing import Any, Final

from msgspec.structs import replace

from admission.engine.decision import Decision, Op, Outcome, PolicyReport, Reason, StepReport
from admission.engine.match import Match, ResourceRule
from admission.engine.policy import Mode, Policy, PolicySet
from admission.handler import Answer, Handler
from tests.review_sample import review

NOW: Final = 1_767_225_600_123_000_000
SECOND: Final = 1_000_000_000
MINUTE: Final = 60 * SECOND

JOBS: Final = Match((ResourceRule(("batch.volcano.sh",), ("jobs/status",)),))
POLICIES: Final = PolicySet.of([Policy("volcano-job-conditions", JOBS, mode=Mode.ENFORCE)])

TRIMMED: Final = Decision(
    Outcome.TRIMMED,
    policies=(
        PolicyReport(
            "volcano-job-conditions",
            "Enforce",
            Outcome.TRIMMED,
            steps=(
                StepReport("capConditions", "status.conditions", found=True, items=2, bytes=180),
                StepReport("truncate", "status.conditions[*].message", found=True),
                StepReport("capList", "status.history", found=True, reason=Reason.CO_OWNED),
                StepReport("drop", "status.typo", found=False),
                StepReport("truncate", "status.rarely"),
            ),
        ),
    ),
    patch=(Op("remove", "/status/conditions/1"), Op("remove", "/status/conditions/0")),
    bytes_before=612,
    bytes_after=432,
    object_bytes=1904,
)


def answer(decision: Decision = TRIMMED, *, at: int = NOW, **changes: Any) -> Answer:
    """The answer of the real handler to the sample review, whose engine decides as told."""
    return Handler(POLICIES, lambda: at, lambda policies, attributes, now: decision).mutate(review(**changes))


def validated(decision: Decision, **changes: Any) -> Answer:
    """The answer of the real handler in the validating phase."""
    return Handler(POLICIES, lambda: NOW, validate=lambda policies, attributes, now: decision).validate(
        review(**changes)
    )


def failed(error: Exception, *, at: int = NOW) -> Answer:
    """The answer of the real handler when its engine fails."""

    def evaluate(*_: object) -> Decision:
        raise error

    return Handler(POLICIES, lambda: at, evaluate).mutate(review())


def with_outcome(outcome: Outcome, reason: Reason = Reason.NONE) -> Decision:
    """The decision, with another outcome."""
    return replace(TRIMMED, outcome=outcome, reason=reason)
