"""The table of metrics, and how an answer counts.

Labels have few values by construction: a resource is named only when a policy names it (``other`` else), an operation
only when it is one of Kubernetes', and names and namespaces of objects never appear.
"""

from __future__ import annotations

from collections import Counter as Tally
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, disable_created_metrics
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from admission.engine.attributes import Attributes
from admission.engine.decision import WOULD, Decision, Outcome, PolicyReport
from admission.engine.instant import SECOND
from admission.engine.policy import Mode, PolicySet
from admission.handler import Answer
from admission.observe.entry import MUTATING

CONTENT_TYPE: Final = CONTENT_TYPE_PLAIN_0_0_4
OTHER: Final = "other"

_OPERATIONS: Final = frozenset({"CREATE", "UPDATE", "DELETE", "CONNECT"})
_CHANGING: Final = frozenset({Outcome.TRIMMED, Outcome.SUPPRESSED, WOULD[Outcome.TRIMMED], WOULD[Outcome.SUPPRESSED]})
_MOST_LEARNT: Final = 200
"""Resources that a rule like ``*/status`` may add as labels: more kinds than one group has."""

# 50 µs is a small review, 4 ms one of 1.2 MB; timeouts are whole seconds
_DURATIONS: Final = (
    50e-6,
    100e-6,
    250e-6,
    500e-6,
    1e-3,
    2.5e-3,
    5e-3,
    10e-3,
    25e-3,
    50e-3,
    100e-3,
    250e-3,
    500e-3,
    1.0,
    2.5,
)

disable_created_metrics()  # type: ignore[no-untyped-call]  # a series of times for every counter, which nobody asks for

_Kind: TypeAlias = type[Counter] | type[Gauge] | type[Histogram]


@dataclass(frozen=True, slots=True)
class Metric:
    """One line of the table. Durations are seconds, sizes bytes as stored."""

    name: str
    kind: _Kind
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()


METRICS: Final[tuple[Metric, ...]] = (
    Metric(
        "statuscap_reviews_total",
        Counter,
        "Reviews answered. One write can be several calls: retries, races, reinvocation.",
        ("phase", "resource", "operation", "outcome", "request_dry_run"),
    ),
    Metric(
        "statuscap_review_duration_seconds",
        Histogram,
        "Time from a complete body to its answer.",
        buckets=_DURATIONS,
    ),
    Metric(
        "statuscap_bytes_removed_total",
        Counter,
        "Bytes that policies trimmed from calls, or would have in Warn and DryRun; without the callers' dry runs.",
        ("policy", "mode", "resource"),
    ),
    Metric(
        "statuscap_items_removed_total",
        Counter,
        "Items that policies removed or cut, or would have in Warn and DryRun; without the callers' dry runs.",
        ("policy", "mode", "resource"),
    ),
    Metric(
        "statuscap_step_reviews_total",
        Counter,
        "Reviews that a step saw, by whether its path led anywhere. A path that never does is a typo.",
        ("policy", "step", "found"),
    ),
    Metric("statuscap_shed_total", Counter, "Reviews allowed unevaluated for want of time.", ("reason",)),
    Metric(
        "statuscap_errors_total",
        Counter,
        "Faults (their writes were allowed), broken invariants (their policies were left out), calls refused by HTTP.",
        ("cause",),
    ),
    Metric("statuscap_policies", Gauge, "Policies in use.", ("mode",)),
    Metric("statuscap_decision_log_dropped_total", Counter, "Lines of the decision log that were lost."),
)
"""Every metric, in the order of the reference."""


class Metrics:
    """All metrics in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._metrics = {metric.name: _build(metric, self.registry) for metric in METRICS}
        self._dropped = self._metrics["statuscap_decision_log_dropped_total"]
        self._duration = self._metrics["statuscap_review_duration_seconds"]
        self._children: dict[tuple[str, ...], Any] = {}
        self._resources = _Resources(PolicySet.of([]))

    def use(self, policies: PolicySet) -> None:
        """Count by these policies from now on."""
        self._resources = _Resources(policies)
        modes = Tally(policy.mode for policy in policies.policies)
        for mode in Mode:
            self._child("statuscap_policies", mode.value).set(modes[mode])

    def count(self, answer: Answer, duration: int) -> None:
        """Count an answer. ``duration`` is nanoseconds."""
        if answer.fault is not None:
            self._child("statuscap_errors_total", answer.fault.cause).inc()
        if answer.decision is None:
            return
        self._duration.observe(duration / SECOND)
        self._count_decision(answer.attributes, answer.decision)

    def count_refused(self, status: int) -> None:
        """Count a call that was refused with an HTTP status before its body was looked at."""
        self._child("statuscap_errors_total", f"http_{status}").inc()

    def count_dropped(self, lines: int) -> None:
        """Count lines of the decision log that were lost. May be called from any thread."""
        self._dropped.inc(lines)

    def exposition(self) -> bytes:
        """Everything in Prometheus' text format, of the type :data:`CONTENT_TYPE`."""
        return generate_latest(self.registry)

    def _count_decision(self, attributes: Attributes | None, decision: Decision) -> None:
        resource = operation = OTHER
        request_dry_run = False
        if attributes is not None:
            resource = self._resources.label(attributes.group, attributes.resource)
            operation = attributes.operation if attributes.operation in _OPERATIONS else OTHER
            request_dry_run = attributes.request_dry_run
        flag = "true" if request_dry_run else "false"
        self._child("statuscap_reviews_total", MUTATING, resource, operation, decision.outcome, flag).inc()
        if decision.reason == "Shed":
            self._child("statuscap_shed_total", "timeout").inc()
        for violation in decision.violations:
            self._child("statuscap_errors_total", f"invariant_{violation.invariant}").inc()
        if not request_dry_run:
            for report in decision.policies:
                self._count_policy(report, resource)

    def _count_policy(self, report: PolicyReport, resource: str) -> None:
        for step in report.steps:
            if step.found is None:
                continue  # it did not run
            found = "true" if step.found else "false"
            self._child("statuscap_step_reviews_total", report.name, f"{step.step} {step.path}", found).inc()
        if report.outcome in _CHANGING:
            self._child("statuscap_bytes_removed_total", report.name, report.mode, resource).inc(
                max(0, report.bytes_removed)
            )
            self._child("statuscap_items_removed_total", report.name, report.mode, resource).inc(report.items)

    def _child(self, *key: str) -> Any:
        """The metric ``key[0]`` with the labels that follow; the library's own look-up costs ten times as much."""
        child = self._children.get(key)
        if child is None:
            child = self._children[key] = self._metrics[key[0]].labels(*key[1:])
        return child


def _build(metric: Metric, registry: CollectorRegistry) -> Any:
    if metric.buckets:
        return Histogram(metric.name, metric.help, metric.labels, registry=registry, buckets=metric.buckets)
    return metric.kind(metric.name, metric.help, metric.labels, registry=registry)


class _Resources:
    """Which resources are labels: those that a policy names, and those met in a group of which it takes all."""

    def __init__(self, policies: PolicySet) -> None:
        rules = [rule for policy in policies.policies for rule in policy.match.resources]
        named = {(group, name.partition("/")[0]) for rule in rules for group in rule.groups for name in rule.resources}
        self._whole_groups = frozenset(group for group, resource in named if resource == "*")
        self._labels = {endpoint: _label(*endpoint) for endpoint in named if endpoint[1] != "*"}
        self._most = len(self._labels) + _MOST_LEARNT

    def label(self, group: str, resource: str) -> str:
        label = self._labels.get((group, resource))
        if label is not None:
            return label
        if group not in self._whole_groups or len(self._labels) >= self._most:
            return OTHER
        return self._labels.setdefault((group, resource), _label(group, resource))


def _label(group: str, resource: str) -> str:
    return f"{group}/{resource}" if group else resource
