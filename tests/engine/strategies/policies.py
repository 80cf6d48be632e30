"""Random policies."""

from __future__ import annotations

from admission.engine.policy import Mode, Policy
from tests.engine.build import policy
from tests.engine.strategies.dice import Dice, happens, pick
from tests.engine.strategies.limits import a_limit
from tests.engine.strategies.steps import WHENS, a_trim


def a_policy(dice: Dice, name: str) -> Policy:
    steps = [a_trim(dice) for _ in range(dice.number(1, 3))]
    mode = pick(dice, (Mode.ENFORCE, Mode.ENFORCE, Mode.ENFORCE, Mode.WARN, Mode.DRY_RUN))
    when = [pick(dice, WHENS)] if happens(dice, 15) else []
    priority = dice.number(0, 2)
    limits = [a_limit(dice) for _ in range(dice.number(1, 3))] if happens(dice, 25) else []
    return policy(*steps, name=name, mode=mode, priority=priority, when=when, limits=limits)


def some_policies(dice: Dice) -> tuple[Policy, ...]:
    """One to three policies for the sample resource."""
    return tuple(a_policy(dice, f"p{number}") for number in range(dice.number(1, 3)))
