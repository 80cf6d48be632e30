"""The product without its server: the handler with the policies that the benchmark serves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from admission.engine.policy import Mode, PolicySet
from admission.handler import Handler
from admission.observe.decisionlog import DecisionLog
from admission.observe.metrics import Metrics
from admission.observe.observer import Observer
from admission.observe.processlog import ProcessLog
from admission.observe.sink import MemorySink
from admission.policyfile.loader import load_policies
from tests.bench.subjects import POLICY, PRESETS

NOW: Final = 1_767_225_600_000_000_000
"""2026-01-01T00:00:00Z; no step of the benchmark's policy looks at the time."""


def handler() -> Handler:
    """A handler that judges like the served product."""
    return Handler(load_policies([PRESETS, POLICY]).in_mode(Mode.ENFORCE), lambda: NOW)


class NowhereSink(MemorySink):
    """Takes every line and keeps none."""

    def write(self, lines: Sequence[bytes]) -> int:
        """Take the lines."""
        return len(lines)


@contextmanager
def observer(policies: PolicySet) -> Iterator[Observer]:
    """What the server tells about each answer: metrics and the decision log, but for its file."""
    metrics = Metrics()
    metrics.use(policies)
    log = DecisionLog(NowhereSink(), instance="bench", on_dropped=metrics.count_dropped)
    process = ProcessLog(NowhereSink(), lambda: NOW, lambda: 0)
    try:
        yield Observer(metrics, log, process)
    finally:
        log.close()
        process.close()
