"""The series of the metrics: the table, built in a registry of its own."""

from __future__ import annotations

from typing import Any, Final

from prometheus_client import CollectorRegistry, ProcessCollector, disable_created_metrics
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from admission.observe.distribution import Distribution
from admission.observe.metric import METRICS, Metric

CONTENT_TYPE: Final = CONTENT_TYPE_PLAIN_0_0_4

disable_created_metrics()  # type: ignore[no-untyped-call]  # a series of times for every counter, which nobody asks for


class Series:
    """Every metric of the table, and what the process uses."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._metrics = {metric.name: _build(metric, self.registry) for metric in METRICS}
        self._children: dict[tuple[str, ...], Any] = {}

    def of(self, *key: str) -> Any:
        """The series of the metric ``key[0]`` with the labels that follow.

        The library's own look-up costs ten times as much.
        """
        child = self._children.get(key)
        if child is None:
            metric, labels = self._metrics[key[0]], key[1:]
            child = metric.labels(*labels) if labels or isinstance(metric, Distribution) else metric
            self._children[key] = child
        return child

    def exposition(self) -> bytes:
        """Everything in Prometheus' text format, of the type :data:`CONTENT_TYPE`."""
        return generate_latest(self.registry)


def _build(metric: Metric, registry: CollectorRegistry) -> Any:
    if metric.buckets:
        distribution = Distribution(metric.name, metric.help, metric.labels, metric.buckets)
        registry.register(distribution)
        return distribution
    return metric.kind(metric.name, metric.help, metric.labels, registry=registry)
