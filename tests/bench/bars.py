"""What the product is meant to cost, and what it does: one verdict for each bar that a run can judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tests.bench.bodies import Variant
from tests.bench.rounds import Row
from tests.bench.server import Start
from tests.bench.subjects import CONTROLLER_RUNTIME, FEW_POLICIES, MANY_POLICIES, PRODUCT

CPU_BARS: Final = {"small": (0.45, 0.30), "mid": (0.12, 0.085), "big": (0.07, 0.045)}
"""By size: the most CPU that a review to trim may cost, and what is aimed at, × what it costs controller-runtime."""

MANY_POLICIES_BAR: Final = 1.1
"""The most CPU that a review may cost with 1,000 policies, × what it costs with 10."""

MEMORY_BAR: Final = 100.0
"""MiB that the product may have resident at its peak, eight reviews of 1.2 MB in flight."""

START_BAR: Final = 1.0
"""Seconds until the product is ready."""

_IN_FLIGHT: Final = 8


@dataclass(frozen=True)
class Bar:
    """One bar: ``measured`` is meant to be at most ``bar``, better at most ``stretch``."""

    what: str
    measured: float
    bar: float
    stretch: float | None = None

    @property
    def verdict(self) -> str:
        """Met or missed, and by how much of the bar."""
        share = self.measured / self.bar - 1
        if share > 0:
            return f"missed by {share:.0%}"
        if self.stretch is not None and self.measured <= self.stretch:
            return "met, stretch too"
        return f"met by {-share:.0%}"


def bars(rows: Sequence[Row], starts: Sequence[Start], peak_memory: int) -> list[Bar]:
    """The bars that can be judged by what was measured. ``starts`` and ``peak_memory`` (bytes) are the product's."""
    most = max((row.case.connections for row in rows), default=0)
    busiest = [row for row in rows if row.case.connections == most]
    found = [*_cpu(busiest), *_many_policies(busiest)]
    if most >= _IN_FLIGHT and any(row.case.body.size == "big" for row in busiest):
        found.append(Bar(f"peak RSS MiB, {most} × big in flight", peak_memory / 2**20, MEMORY_BAR))
    return [*found, Bar("ready after s", min(starts).elapsed, START_BAR)]


def _cpu(rows: Sequence[Row]) -> Iterator[Bar]:
    for row in rows:
        ratio = row.ratio(PRODUCT.name, CONTROLLER_RUNTIME.name)
        if ratio is not None and row.case.body.variant is Variant.TO_TRIM:
            bar, stretch = CPU_BARS[row.case.body.size]
            yield Bar(f"CPU × c-r: {row.case.body.name}", ratio, bar, stretch)


def _many_policies(rows: Sequence[Row]) -> Iterator[Bar]:
    for row in rows:
        ratio = row.ratio(MANY_POLICIES.name, FEW_POLICIES.name)
        if ratio is not None:
            yield Bar(f"1,000 policies × 10: {row.case.body.name}", ratio, MANY_POLICIES_BAR)
