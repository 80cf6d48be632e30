"""Random policies."""

from __future__ import annotations

from dataclasses import replace

from admission.engine.policy import Mode, Policy, Trim
from admission.engine.rollout import EVERYBODY
from tests.engine.build import drop, only, policy, requirements
from tests.engine.strategies.counting import counting_what_stays
from tests.engine.strategies.dice import Dice, happens, pick
from tests.engine.strategies.limits import a_limit
from tests.engine.strategies.matches import a_selector, some_globs, some_rules
from tests.engine.strategies.places import PLACES, STATUS, Places
from tests.engine.strategies.rules import some_heartbeat_rules
from tests.engine.strategies.steps import a_trim

_MODES = (*(Mode.ENFORCE,) * 12, *(Mode.WARN,) * 4, *(Mode.DRY_RUN,) * 3, Mode.OFF)


def a_policy(dice: Dice, name: str, places: Places = STATUS) -> Policy:
    """A policy for a root: steps, limits, rules for heartbeats, or some of them."""
    limits = [a_limit(dice, places) for _ in range(dice.number(1, 3))] if happens(dice, 25) else []
    rules = some_heartbeat_rules(dice, places) if happens(dice, 25) else []
    steps = [a_trim(dice, places) for _ in range(dice.number(0 if limits or rules else 1, 3))]
    mode, priority = pick(dice, _MODES), dice.number(-1, 1)
    made = policy(*steps, name=name, mode=mode, priority=priority, limits=limits, suppress=rules)
    return replace(_matching(dice, made, places), root=places.root)


def _matching(dice: Dice, made: Policy, places: Places) -> Policy:
    match = replace(
        made.match,
        resources=tuple(some_rules(dice, places.root)),
        namespaces=some_globs(dice),
        names=some_globs(dice),
        users=some_globs(dice),
        selector=a_selector(dice),
        when=requirements([pick(dice, places.whens)] if happens(dice, 15) else []),
    )
    return replace(made, match=match, rollout=dice.number(0, EVERYBODY) if happens(dice, 10) else EVERYBODY)


def _after(other: str, field: str) -> Trim:
    return only(f"status.{other} DoesNotExist", drop(f"status.{field}"))


SLOW = policy(
    _after("phase", "message"), _after("set", "phase"), _after("parents", "set"), drop("status.parents"), name="slow"
)
"""Steps that wait for each other, the last one first: the loader would refuse them."""


def some_policies(dice: Dice) -> tuple[Policy, ...]:
    """One to three policies for the sample resource."""
    among = PLACES if happens(dice, 25) else (STATUS,)
    if happens(dice, 1):
        return (SLOW,)
    return counting_what_stays([a_policy(dice, f"p{n}", pick(dice, among)) for n in range(dice.number(1, 3))])
