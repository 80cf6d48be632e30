"""Random rules that hold back heartbeats."""

from __future__ import annotations

from typing import Any

from admission.engine.suppress import SuppressRule
from tests.engine.build import suppress
from tests.engine.strategies.dice import Dice, happens, pick
from tests.engine.strategies.places import STATUS, Places

_STALE = ("1d", "1d", "12h", "11h58m", "11h30m", "10m", "60s")
"""The objects here are of the first minutes of a day, and it is noon."""
_TOLERANCES: tuple[dict[str, Any], ...] = (
    {},
    {},
    {"percent": "5"},
    {"percent": "100"},
    {"most": "1"},
    {"most": "0.5"},
    {"any_value": True},
    {"any_value": True},
)


def a_rule(dice: Dice, places: Places = STATUS) -> SuppressRule:
    """A rule for some leaves; a broad one now and then."""
    leaves = [pick(dice, places.leaves) for _ in range(dice.number(1, 4))]
    if happens(dice, 40):
        leaves += places.leaves
    return suppress(*dict.fromkeys(leaves), stale=pick(dice, _STALE), **pick(dice, _TOLERANCES))


def some_heartbeat_rules(dice: Dice, places: Places = STATUS) -> list[SuppressRule]:
    """Rules that together cover much: one for numbers, one for times, one for any value."""
    rules = [a_rule(dice, places) for _ in range(dice.number(1, 2))]
    if happens(dice, 50):
        near: dict[str, Any] = pick(dice, ({"percent": "100"}, {"most": "1000"}))
        rules.insert(0, suppress(*places.leaves, stale="1d", **near))
    if happens(dice, 60):
        rules += [suppress(*places.leaves, stale="1d"), suppress(*places.leaves, stale="1d", any_value=True)]
    return rules
