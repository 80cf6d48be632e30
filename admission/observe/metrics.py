"""What is counted: answers, and what happens to the server.

Whoever makes something happen calls the method that counts it. Labels have few values by construction: names and
namespaces of objects never appear, and what a caller may invent is ``other``.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Final

from prometheus_client import CollectorRegistry

from admission.engine.attributes import Attributes
from admission.engine.decision import WOULD, Decision, Outcome, PolicyReport, Reason, StepReport
from admission.engine.instant import SECOND
from admission.engine.policy import Mode, PolicySet
from admission.handler import Answer, Phase
from admission.observe.labels import OTHER, Resources, flag_label, operation_label
from admission.observe.saving import Saving
from admission.observe.series import Series

_TAKEN: Final = "success"
_REFUSED: Final = "failure"
_CHANGING: Final = frozenset({Outcome.TRIMMED, Outcome.SUPPRESSED, WOULD[Outcome.TRIMMED], WOULD[Outcome.SUPPRESSED]})
_REJECTING: Final = frozenset({Outcome.REJECTED, WOULD[Outcome.REJECTED]})


class Metrics:
    """Counts what it is told of."""

    def __init__(self) -> None:
        self._series = Series()
        self._dropped = self._series.of("statuscap_decision_log_dropped_total")
        self._truncated = self._series.of("statuscap_decision_log_truncated_total")
        self._duration = self._series.of("statuscap_review_duration_seconds")
        self._resources = Resources(PolicySet.of([]))
        for result in (_TAKEN, _REFUSED):  # so that the first one is a change, too
            self._series.of("statuscap_policy_reloads_total", result)

    @property
    def registry(self) -> CollectorRegistry:
        """Where a scrape reads."""
        return self._series.registry

    def exposition(self) -> bytes:
        """Everything in Prometheus' text format, of the type :data:`~admission.observe.series.CONTENT_TYPE`."""
        return self._series.exposition()

    # --- what happens to the server ---

    def use(self, policies: PolicySet, skipped: int = 0) -> None:
        """Count by these policies from now on. ``skipped`` are broken and left out. Called by the server."""
        self._resources = Resources(policies)
        modes = Tally(policy.mode for policy in policies.policies)
        for mode in Mode:
            self._series.of("statuscap_policies", mode.value).set(modes[mode])
        self._series.of("statuscap_policies_skipped").set(skipped)

    def judged(self, nonconverging: int) -> None:
        """Note how many of the policies in use do not converge. Called by whoever judges them."""
        self._series.of("statuscap_policies_nonconverging").set(nonconverging)

    def set_aside(self, policies: int, failing: str = "") -> None:
        """Note how many policies are set aside now, and count the one that just was. Called by the server."""
        self._series.of("statuscap_policies_set_aside").set(policies)
        if failing:
            self._series.of("statuscap_policy_set_aside_total", failing).inc()

    def count_reload(self, *, taken: bool) -> None:
        """Count a change of the policy files that was taken or refused. Called by whoever watches them."""
        self._series.of("statuscap_policy_reloads_total", _TAKEN if taken else _REFUSED).inc()

    def know(self, source: str, crds: int) -> None:
        """Note of how many CRDs the schemas are known, and where from. Called by whoever reads them."""
        self._series.of("statuscap_crds", source).set(crds)

    def follow(self, followed: bool) -> None:
        """Note whether the CRDs of the cluster are followed. Called by whoever asks for them."""
        self._series.of("statuscap_crds_followed", "cluster").set(followed)

    def certificate_expires(self, at: datetime) -> None:
        """Note when the certificate in use expires. Called by whoever loads it, each time."""
        self._series.of("statuscap_certificate_expiration_timestamp_seconds").set(at.timestamp())

    def authority_expires(self, at: datetime) -> None:
        """Note when the CA of the kept certificate expires. Called by whoever keeps it, each time."""
        self._series.of("statuscap_certificate_authority_expiration_timestamp_seconds").set(at.timestamp())

    def count_certificate_change(self, *, mended: bool) -> None:
        """Count that the Secret of the certificates was written. Called by whoever keeps it."""
        self._series.of("statuscap_certificate_changes_total", "mended" if mended else "due").inc()

    def count_certificate_failure(self, cause: str) -> None:
        """Count a look at the certificates that failed; ``cause`` is a word of the server's. Called by it."""
        self._series.of("statuscap_certificate_failures_total", cause).inc()

    def registered(self, on: bool) -> None:
        """Note whether there is a webhook configuration that sends writes here. Called by whoever looks."""
        self._series.of("statuscap_registration_off").set(not on)

    def measure_in_flight(self, measured: Callable[[], float]) -> None:
        """Have the bytes in flight measured at every scrape. Called once, by the server, for its listener."""
        self._series.of("statuscap_in_flight_bytes").set_function(measured)

    def count_closed(self, reason: str) -> None:
        """Count a connection that was closed on its client; ``reason`` is a word of the server's. Called by it."""
        self._series.of("statuscap_connections_closed_total", reason).inc()

    def count_not_accepted(self) -> None:
        """Count that the system gave no connection, for another reason than too many of them."""
        self._series.of("statuscap_errors_total", "accept").inc()

    def count_refused(self, status: int) -> None:
        """Count a call that was refused with an HTTP status before its body was looked at."""
        self._series.of("statuscap_errors_total", f"http_{status}").inc()

    def count_dropped(self, lines: int) -> None:
        """Count lines of the decision log that were lost. May be called from any thread."""
        self._dropped.inc(lines)

    def count_truncated(self) -> None:
        """Count a line of the decision log that lacks removed values. May be called from any thread."""
        self._truncated.inc()

    # --- answers ---

    def count(self, answer: Answer, duration: int) -> None:
        """Count an answer. ``duration`` is nanoseconds. Called by the observer."""
        if answer.fault is not None:
            self._series.of("statuscap_errors_total", answer.fault.cause).inc()
        if answer.decision is None:
            return
        self._duration.observe(duration / SECOND)
        if answer.shed is not None:
            self._series.of("statuscap_shed_total", answer.shed).inc()
        self._count_decision(answer.attributes, answer.decision, answer.phase)

    def count_savings(self, attributes: Attributes, savings: Iterable[Saving]) -> None:
        """Count what a write saved. Called by the observer, with what its ledger did not count before."""
        resource = self._resources.label(attributes.group, attributes.resource)
        for saving in savings:
            writes = "statuscap_writes_suppressed_total" if saving.suppressed else "statuscap_writes_trimmed_total"
            self._series.of(writes, saving.mode, resource).inc()
            self._series.of("statuscap_bytes_saved_total", saving.mode, resource).inc(saving.bytes)

    def count_fight(self, attributes: Attributes, *, stored: bool) -> None:
        """Count a minute of a fight, whose writes change the object or do not. Called by the observer."""
        resource = self._resources.label(attributes.group, attributes.resource)
        self._series.of("statuscap_fights_total", resource, flag_label(stored)).inc()

    def _count_decision(self, attributes: Attributes | None, decision: Decision, phase: Phase) -> None:
        resource = operation = OTHER
        request_dry_run = False
        if attributes is not None:
            resource = self._resources.label(attributes.group, attributes.resource)
            operation = operation_label(attributes.operation)
            request_dry_run = attributes.request_dry_run
        series, flag = self._series, flag_label(request_dry_run)
        series.of("statuscap_reviews_total", phase, resource, operation, decision.outcome, flag).inc()
        if decision.unobserved:
            series.of("statuscap_policies_unobserved_total").inc(decision.unobserved)
        for violation in decision.violations:
            series.of("statuscap_errors_total", f"invariant_{violation.invariant}").inc()
        if decision.policies and not request_dry_run:
            if phase is Phase.MUTATING:  # the other one sees the same status again
                series.of("statuscap_status_bytes", resource, "before").observe(decision.bytes_before)
                series.of("statuscap_status_bytes", resource, "after").observe(decision.bytes_after)
            for report in decision.policies:
                self._count_policy(report, resource)

    def _count_policy(self, report: PolicyReport, resource: str) -> None:
        for step in report.steps:
            if step.found is not None:  # it did run
                self._count_step(report.name, step)
        series, labels = self._series, (report.name, report.mode, resource)
        if report.outcome in _CHANGING:
            series.of("statuscap_bytes_removed_total", *labels).inc(max(0, report.bytes_removed))
            series.of("statuscap_items_removed_total", *labels).inc(report.items)
        elif report.outcome in _REJECTING:
            series.of("statuscap_rejections_total", *labels).inc()

    def _count_step(self, policy: str, step: StepReport) -> None:
        label = f"{step.step} {step.path}"
        self._series.of("statuscap_step_reviews_total", policy, label, flag_label(bool(step.found))).inc()
        if step.reason is Reason.CAP_UNREACHABLE:
            self._series.of("statuscap_cap_unreachable_total", policy, label).inc()
        elif step.reason is Reason.BUDGET_UNREACHABLE:
            self._series.of("statuscap_budget_unreachable_total", policy, label).inc()
