"""The series of the metrics: the table, built in a registry of its own."""

from __future__ import annotations

from typing import Any, Final

from prometheus_client import CollectorRegistry, Histogram, ProcessCollector, disable_created_metrics
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

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
            metric = self._metrics[key[0]]
            child = self._children[key] = metric.labels(*key[1:]) if len(key) > 1 else metric
        return child

    def exposition(self) -> bytes:
        """Everything in Prometheus' text format, of the type :data:`CONTENT_TYPE`."""
        return generate_latest(self.registry)


def _build(metric: Metric, registry: CollectorRegistry) -> Any:
    if metric.buckets:
        return Histogram(metric.name, metric.help, metric.labels, registry=registry, buckets=metric.buckets)
    return metric.kind(metric.name, metric.help, metric.labels, registry=registry)
