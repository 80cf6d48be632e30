"""Random steps that are shaped like what policies use them for."""

from __future__ import annotations

from typing import Any

from admission.engine.policy import Trim
from admission.engine.steps import Step
from tests.engine.build import cap_conditions, cap_list, dedupe, drop, only, pin, restore_times, truncate
from tests.engine.strategies.dice import Dice, happens, pick, several

LISTS = (
    "status.history",
    "status.conditions",
    "status.clusterConditions",
    "status.nodeConditions.*",
    "status.nodes.*.conditions",
    "status.nodes.*.history",
    "status.history[*].l",
    "status.set",
    "status.extra",
    "status.nodes['a/b'].history",
)
RESTORED = (
    *("status.conditions",) * 8,
    "status.clusterConditions",
    "status.nodeConditions.*",
    "status.nodes.*.conditions",
    "status.parents[*].conditions",
    "status.parents[0].conditions",
    "status.history",
    "status.*",
)
TEXTS = (
    "status.message",
    "status.conditions[*].message",
    "status.history[*].m",
    "status.history[:-1].m",
    "status.conditions[*].reason",
    "status.conditions[*].*",
    "status.nodes.*.message",
    "status.nodes.*.conditions[*].message",
    "status.set[*]",
    "status.*",
    "status.extra[0]",
)
FIELDS = (
    "status.message",
    "status.extra",
    "status.history[*].m",
    "status.history[:-1].k",
    "status.conditions[*].message",
    "status.conditions[*].*",
    "status.nodes.*.message",
    "status.nodes.*.*",
    "status.nodes",
    "status.nodeConditions",
    "status.*",
)
ORDERS = ("NewestLast", "NewestFirst", "t Time", "lastTransitionTime Time", "id Number", "k Natural", ". Natural")
WHENS = (
    "status.phase In Running",
    "status.phase NotIn Done",
    "status.history[3] Exists",
    "status.conditions[*].type In A",
    "spec.queue In default",
    "status.history[*].id Gt 3",
    "status.conditions[*].lastTransitionTime OlderThan 5m",
)
PINS = ("id Lt 2", "k In x", "m Exists", "type NotIn A", "t OlderThan 11h57m", ". In a")


def a_cap_of_conditions(dice: Dice) -> Step:
    keep = pick(dice, (None, None, ["A"], ["A", "C"], []))
    type_field = pick(dice, ("type", "type", "type", "status"))
    return cap_conditions(dice.number(0, 4), pick(dice, LISTS[:6]), keep=keep, type_field=type_field)


def a_cap_of_a_list(dice: Dice) -> Step:
    pins = several(dice, 2, lambda d: pin(pick(d, PINS), newest=pick(d, (None, 1, 2))))
    first, last = pick(dice, (0, 0, 1, 2)), pick(dice, (0, 0, 1))
    return cap_list(dice.number(0, 5), pick(dice, ORDERS), pick(dice, LISTS), first=first, last=last, pins=pins)


def a_dedupe(dice: Dice) -> Step:
    keep, place = pick(dice, ("First", "Last", "Newest")), pick(dice, LISTS)
    more: dict[str, Any] = {
        "scope": pick(dice, ("All", "Consecutive")),
        "position": pick(dice, ("OfKept", "First")),
        "times": pick(dice, (["t"], ["lastTransitionTime", "lastUpdateTime"])),
    }
    if happens(dice, 30):
        return dedupe(keep, at=place, ignoring=pick(dice, (["id", "t"], ["lastTransitionTime"], [])), **more)
    return dedupe(keep, pick(dice, (["k"], ["type"], ["id", "k"], ["."])), place, **more)


def a_cut(dice: Dice) -> Step:
    places = [pick(dice, TEXTS) for _ in range(dice.number(1, 2))]
    marker = pick(dice, ("…", "… [statuscap: {bytes} bytes cut]", ""))
    return truncate(pick(dice, (45, 64, 100)), *places, keep=pick(dice, ("Head", "Tail", "HeadAndTail")), marker=marker)


def a_drop(dice: Dice) -> Step:
    return drop(*(pick(dice, FIELDS) for _ in range(dice.number(1, 2))))


def a_restoration(dice: Dice) -> Step:
    fields = pick(dice, (["lastTransitionTime"], ["lastTransitionTime", "transitionID"], ["lastUpdateTime", "message"]))
    keys, unless = pick(dice, (["type"], ["type"], ["type", "reason"], ["id"])), pick(dice, (None, None, ["status"]))
    return restore_times(pick(dice, RESTORED), keys=keys, fields=fields, unless=unless)


STEPS = (a_cap_of_conditions, a_cap_of_a_list, a_dedupe, a_cut, a_drop, a_restoration)


def a_trim(dice: Dice) -> Trim:
    step = pick(dice, STEPS)(dice)
    return only(pick(dice, WHENS), step) if happens(dice, 15) else Trim(step)
