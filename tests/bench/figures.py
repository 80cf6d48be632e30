"""From samples to the figures of a table."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from statistics import median

__all__ = ["median", "percentile", "ratio"]


def percentile(samples: Sequence[float], share: float) -> float:
    """The smallest sample that is not below ``share`` (0 to 1) of all (nearest rank, no interpolation)."""
    if not samples:
        raise ValueError("no samples")
    return sorted(samples)[max(1, ceil(share * len(samples))) - 1]


def ratio(samples: Sequence[float], others: Sequence[float]) -> float:
    """How many times as much as the others: the median over rounds, each compared within its own round.

    A neighbour that takes the processor for a while slows both sides of a round, and cancels out.
    """
    return median(sample / other for sample, other in zip(samples, others, strict=True))
