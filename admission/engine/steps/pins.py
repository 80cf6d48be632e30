"""Which items of a list are pinned."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TypeAlias

from admission.engine.condition import Rank
from admission.engine.pin import Pinning
from admission.engine.requirement import all_met
from admission.engine.values import List

Ranking: TypeAlias = Callable[[Collection[int]], Sequence[Rank]]
"""Ranks for all items of a list, when those at some positions are compared."""


def pinned_items(pins: Pinning, items: List, ranking: Ranking, now: int) -> tuple[set[int], Sequence[Rank]]:
    """The positions of what is pinned, and the ranks of all items, of which the others are compared.

    ``now`` is nanoseconds since the epoch.
    """
    pinned = {position for position in range(len(items)) if pins.by_position(position, len(items))}
    matching = [
        (pin.newest, [position for position in range(len(items)) if all_met(pin.all, items, position, now)])
        for pin in pins.where
    ]
    for newest, positions in matching:
        if newest is None:
            pinned.update(positions)
    ranks = ranking([position for position in range(len(items)) if position not in pinned])
    for newest, positions in matching:
        if newest is not None:
            pinned.update(sorted(positions, key=ranks.__getitem__, reverse=True)[:newest])
    return pinned, ranks
