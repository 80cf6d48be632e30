"""Random limits."""

from __future__ import annotations

from admission.engine.limits import Limit
from tests.engine.build import limit
from tests.engine.strategies.dice import Dice, pick
from tests.engine.strategies.places import STATUS, Places


def a_limit(dice: Dice, places: Places = STATUS) -> Limit:
    """A limit near to what the objects here are: some are above, some below, some at it."""
    action = pick(dice, ("Reject", "Reject", "Warn"))
    match dice.number(0, 3):
        case 0:
            return limit(dice.number(1, 1_200), "Status", action)
        case 1:
            return limit(dice.number(150, 1_800), "Object", action)
        case 2:
            return limit(dice.number(0, 6), pick(dice, places.lists), action)
        case _:
            return limit(dice.number(0, 90), pick(dice, places.texts), action, length=True)
