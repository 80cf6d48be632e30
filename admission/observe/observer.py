"""Tells the metrics, the decision log and the process log about one answer."""

from __future__ import annotations

from admission.handler import Answer, Cause
from admission.observe.decisionlog import DecisionLog
from admission.observe.metrics import Metrics
from admission.observe.processlog import ProcessLog


class Observer:
    """Everything that happens after an answer is on its way. Never raises."""

    def __init__(self, metrics: Metrics, decisions: DecisionLog, process: ProcessLog) -> None:
        self.metrics = metrics
        self.decisions = decisions
        self.process = process

    def observe(self, answer: Answer, duration: int) -> None:
        """Count and log an answer. ``duration`` is nanoseconds."""
        try:
            self.metrics.count(answer, duration)
            self.decisions.record(answer, duration)
            if answer.fault is not None:
                self._tell_fault(answer)
            elif answer.decision is not None and answer.decision.violations:
                self._tell_violations(answer)
        except Exception as error:  # the answer was given: what is left is to say so
            self.process.fault("observer", error)

    def refused(self, status: int) -> None:
        """Count a call that got no further than HTTP."""
        self.metrics.count_refused(status)

    def _tell_fault(self, answer: Answer) -> None:
        assert answer.fault is not None, "only called with a fault"  # noqa: S101
        cause = answer.fault.cause
        consequence = "refused" if cause is Cause.BAD_REVIEW else "allowed unevaluated"
        self.process.fault(cause, answer.fault.error, consequence=consequence, uid=answer.uid)

    def _tell_violations(self, answer: Answer) -> None:
        assert answer.decision is not None, "only called with a decision"  # noqa: S101
        for violation in answer.decision.violations:
            self.process.fault(
                f"invariant_{violation.invariant} {violation.policy} {violation.step}".rstrip(),
                policy=violation.policy,
                step=violation.step,
                violation=violation.detail,
                consequence="the policy was left out",
                uid=answer.uid,
            )
