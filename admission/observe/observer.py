"""Tells the metrics, the decision log and the process log about one answer."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision, Outcome
from admission.handler import Answer, Cause, Clock
from admission.observe.decisionlog import DecisionLog
from admission.observe.fights import LIMIT, Fight, Fights
from admission.observe.identity import Identity, identity_of, name_of
from admission.observe.ledger import Ledger
from admission.observe.metrics import Metrics
from admission.observe.processlog import ProcessLog
from admission.observe.saving import SAVING, passing
from admission.observe.typos import ENOUGH, Typos

_CHANGED: Final = frozenset({Outcome.TRIMMED, Outcome.SUPPRESSED})
_TOO_MANY: Final = {
    "descriptors": "raise the limit of open files",
    "max_connections": "raise --max-connections, or keep others than the API server out",
}
_DISTRUST: Final = ("CERTIFICATE", "UNKNOWN_CA")
_TRUST: Final = (
    "the caller needs a certificate of --client-ca, and the registration the CA of --tls-cert as its caBundle"
)


class Observer:
    """Everything that happens after an answer is on its way. Never raises."""

    def __init__(
        self,
        metrics: Metrics,
        decisions: DecisionLog,
        process: ProcessLog,
        monotonic: Clock = time.monotonic_ns,
        on_failure: Callable[[Answer], None] = lambda _: None,
    ) -> None:
        """``monotonic`` tells nanoseconds of a clock that never jumps.

        ``on_failure`` hears of answers for which the engine, or a policy, failed.
        """
        self.metrics = metrics
        self.decisions = decisions
        self.process = process
        self._monotonic = monotonic
        self._on_failure = on_failure
        self._ledger = Ledger()
        self._fights = Fights()
        self._typos = Typos()

    def observe(self, answer: Answer, duration: int) -> None:
        """Count and log an answer. ``duration`` is nanoseconds."""
        try:
            self.metrics.count(answer, duration)
            identity = _identity(answer)
            self.decisions.record(answer, duration, identity)
            if answer.fault is not None:
                self._tell_fault(answer)
            elif answer.decision is not None:
                self._tell_left_out(answer.decision, answer.uid)
                self._tell_typos(answer.decision)
            if _has_failed(answer):
                self._on_failure(answer)
            if identity is not None:
                self._follow(answer, identity)
        except Exception as error:  # the answer was given: what is left is to say so
            self.process.fault("observer", error)

    def refused(self, status: int) -> None:
        """Count a call that got no further than HTTP."""
        self.metrics.count_refused(status)

    def closed(self, why: str, detail: str = "") -> None:
        """Count a connection that was closed on its client, and say what helps when that is more than a passing matter.

        ``detail`` is OpenSSL's word for what failed.
        """
        self.metrics.count_closed(why)
        if why in _TOO_MANY:
            self.process.fault("too_many_connections", reason=why, advice=_TOO_MANY[why])
        elif any(word in detail for word in _DISTRUST):
            self.process.fault("distrust", reason=detail, advice=_TRUST)

    def not_accepted(self, error: OSError) -> None:
        """Count that the system gave no connection, and say why."""
        self.metrics.count_not_accepted()
        self.process.fault("accept", reason=error.strerror, consequence="callers wait, or let their writes pass")

    def _follow(self, answer: Answer, identity: Identity) -> None:
        """Take an answer for what it is among others: a call of a write that is known, or a round of a fight."""
        attributes, decision = answer.attributes, answer.decision
        assert attributes is not None, "it has an identity"  # noqa: S101
        assert decision is not None, "it has an identity"  # noqa: S101
        now = self._monotonic()
        self.metrics.count_savings(attributes, self._ledger.savings(attributes, identity, decision, now))
        if decision.patch:
            self._note_change(attributes, decision, now)

    def _note_change(self, attributes: Attributes, decision: Decision, now: int) -> None:
        name = name_of(attributes)
        fight = self._fights.changed(name, now) if name else None
        if fight is None:
            return
        stored = decision.outcome is not Outcome.SUPPRESSED
        self.metrics.count_fight(attributes, stored=stored)
        if fight is Fight.TELL:
            self.process.warning(
                "fight",
                object=name,
                user=attributes.user,
                field_manager=attributes.field_manager or "",
                policies=[report.name for report in decision.policies if report.outcome in _CHANGED],
                stored=stored,
                note=f"more than {LIMIT} answers in a minute took back what was written; told once an hour",
            )

    def _tell_fault(self, answer: Answer) -> None:
        assert answer.fault is not None, "only called with a fault"  # noqa: S101
        cause = answer.fault.cause
        consequence = "refused" if cause is Cause.BAD_REVIEW else "allowed unevaluated"
        self.process.fault(cause, answer.fault.error, consequence=consequence, uid=answer.uid)

    def _tell_left_out(self, decision: Decision, uid: str) -> None:
        if decision.unobserved:
            self.process.fault(
                "unobserved",
                policies=decision.unobserved,
                consequence="policies in Warn and DryRun take turns, each looks at some of the writes",
                advice="have fewer of them observe one resource",
            )
        for violation in decision.violations:
            self.process.fault(
                f"invariant_{violation.invariant} {violation.policy} {violation.step}".rstrip(),
                policy=violation.policy,
                step=violation.step,
                violation=violation.detail,
                consequence="the policy was left out",
                uid=uid,
            )

    def _tell_typos(self, decision: Decision) -> None:
        for policy, step in self._typos.in_vain(decision):
            self.process.warning(
                "a path leads nowhere",
                policy=policy,
                step=step.step,
                path=step.path,
                note=f"in none of the first {ENOUGH} reviews; is it mistyped?",
            )


def _has_failed(answer: Answer) -> bool:
    if answer.fault is not None:
        return answer.fault.cause is Cause.ENGINE
    return answer.decision is not None and bool(answer.decision.violations)


def _identity(answer: Answer) -> Identity | None:
    """Whose write an answer changes, or would, or lets pass as news: it costs something, and others need it not."""
    attributes, decision = answer.attributes, answer.decision
    if attributes is None or decision is None or attributes.request_dry_run:
        return None
    return identity_of(attributes) if decision.outcome in SAVING or passing(decision) else None
