"""Random steps that are shaped like what policies use them for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from admission.engine.policy import Trim
from admission.engine.steps import Step
from tests.engine.build import (
    budget,
    cap_conditions,
    cap_list,
    cap_map,
    dedupe,
    drop,
    expire,
    fit_schema,
    only,
    pin,
    restore_times,
    truncate,
)
from tests.engine.strategies.dice import Dice, happens, pick, several
from tests.engine.strategies.places import STATUS, Places

ORDERS = ("NewestLast", "NewestFirst", "t Time", "lastTransitionTime Time", "id Number", "k Natural", ". Natural")
PINS = ("id Lt 2", "k In x", "m Exists", "type NotIn A", "t OlderThan 11h57m", ". In a")


def a_cap_of_conditions(dice: Dice, places: Places) -> Step:
    keep = pick(dice, (None, None, ["A"], ["A", "C"], []))
    type_field = pick(dice, ("type", "type", "type", "status"))
    return cap_conditions(dice.number(0, 4), pick(dice, places.of_conditions), keep=keep, type_field=type_field)


def a_cap_of_a_list(dice: Dice, places: Places) -> Step:
    pins = several(dice, 2, lambda d: pin(pick(d, PINS), newest=pick(d, (None, 1, 2))))
    first, last = pick(dice, (0, 0, 1, 2)), pick(dice, (0, 0, 1))
    return cap_list(dice.number(0, 5), pick(dice, ORDERS), pick(dice, places.lists), first=first, last=last, pins=pins)


AGES = ("1h", "1h", "11h57m", "11h58m", "11h57m59s", "1d")


def an_expiry(dice: Dice, places: Places) -> Step:
    place = pick(dice, places.lists)
    ours = ["lastTransitionTime", "lastUpdateTime"] if "ondition" in place else ["t"]
    return expire(
        pick(dice, AGES),
        place,
        times=pick(dice, (ours, ours, [*ours, "lastProbeTime"], ["t", "lastUpdateTime"])),
        newest=pick(dice, (1, 0, 0, 2)),
        pins=several(dice, pick(dice, (0, 2)), lambda d: pin(pick(d, PINS), newest=pick(d, (None, 1, 2)))),
        ties=pick(dice, ("NewestLast", *ORDERS)),
    )


EVICTIONS = ("k In x", "m Exists", "id Lt 4", "t OlderThan 11h57m", ". In RUNNING DONE", ". NotIn RUNNING", "k NotIn y")


def a_cap_of_a_map(dice: Dice, places: Places) -> Step:
    by = pick(dice, ("", "", "t Time", "id Number", "k Natural", ". Natural", ". Number"))
    where = several(dice, 1, lambda d: pick(d, EVICTIONS))
    return cap_map(dice.number(0, 5), by, pick(dice, places.maps), where=where)


def a_dedupe(dice: Dice, places: Places) -> Step:
    keep, place = pick(dice, ("First", "Last", "Newest")), pick(dice, places.lists)
    more: dict[str, Any] = {
        "scope": pick(dice, ("All", "Consecutive")),
        "position": pick(dice, ("OfKept", "First")),
        "times": pick(dice, (["t"], ["lastTransitionTime", "lastUpdateTime"])),
    }
    if happens(dice, 30):
        ignored = pick(dice, (["id", "t", "m"], ["lastTransitionTime", "lastUpdateTime", "message"], [], ["n"]))
        return dedupe(keep, at=place, ignoring=ignored, **more)
    return dedupe(keep, pick(dice, _keys_at(place)), place, **more)


def _keys_at(place: str) -> Sequence[list[str]]:
    """What tells items apart there, mostly."""
    if "ondition" in place:
        return (["type"], ["type"], ["type", "status"], ["id"])
    return {"set": (["."],), "].l": (["n"],)}.get(place[-3:], (["id"], ["k"], ["id", "k"], ["type"], ["."]))


def a_cut(dice: Dice, places: Places) -> Step:
    at = [pick(dice, places.texts) for _ in range(dice.number(1, 2))]
    marker = pick(dice, ("…", "… [statuscap: {bytes} bytes cut]", ""))
    return truncate(pick(dice, (45, 64, 100)), *at, keep=pick(dice, ("Head", "Tail", "HeadAndTail")), marker=marker)


def a_drop(dice: Dice, places: Places) -> Step:
    return drop(*(pick(dice, places.fields) for _ in range(dice.number(1, 2))))


def a_restoration(dice: Dice, places: Places) -> Step:
    fields = pick(dice, (["lastTransitionTime"], ["lastTransitionTime", "transitionID"], ["lastUpdateTime", "message"]))
    keys, unless = pick(dice, (["type"], ["type"], ["type", "reason"], ["id"])), pick(dice, (None, None, ["status"]))
    return restore_times(pick(dice, places.restored), keys=keys, fields=fields, unless=unless)


def a_fit(dice: Dice, places: Places) -> Step:
    among = (*places.texts, *places.lists, *places.of_conditions)
    return fit_schema(*several(dice, 2, lambda d: pick(d, among)))


def a_budget(dice: Dice, places: Places) -> Step:
    inside = [_an_entry(dice, places, STEPS) for _ in range(dice.number(1, 3))]
    return budget(pick(dice, (700, 300, 1_500, 40)), *inside, of=pick(dice, ("Status", "Status", "Object")))


STEPS = (
    a_cap_of_conditions,
    a_cap_of_a_list,
    an_expiry,
    a_dedupe,
    a_cap_of_a_map,
    a_cut,
    a_drop,
    a_restoration,
    a_fit,
)


def a_trim(dice: Dice, places: Places = STATUS) -> Trim:
    """A step at places of a root."""
    return _an_entry(dice, places, (*STEPS, a_budget))


def _an_entry(dice: Dice, places: Places, kinds: Sequence[Callable[[Dice, Places], Step]]) -> Trim:
    step = pick(dice, kinds)(dice, places)
    return only(pick(dice, places.whens), step) if happens(dice, 15) else Trim(step)
