"""Random policies and random writes that are shaped like what policies are for.

Everything is rolled with :class:`Dice`, so that hypothesis (which shrinks what it finds) and a seeded long run draw
from one source: repeated condition types, odd times, ``null``, nested lists and maps, names that need escapes, texts
that Go escapes, integers beyond 2^53, empty containers, ``managedFields`` that fit the object and some that do not.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from hypothesis import strategies as st

from admission.engine.attributes import Attributes
from admission.engine.limits import Limit
from admission.engine.policy import Mode, Policy, Trim
from admission.engine.steps import Step
from tests.engine.build import (
    Json,
    at,
    cap_conditions,
    cap_list,
    custom_resource,
    dedupe,
    drop,
    entry,
    go,
    limit,
    only,
    pin,
    policy,
    restore_times,
    truncate,
    write,
)

T = TypeVar("T")


class Dice(Protocol):
    """Where chance comes from."""

    def number(self, low: int, high: int) -> int:
        """A number from ``low`` to ``high``; shrinks to ``low``."""
        ...


@dataclass(frozen=True, slots=True)
class Seeded:
    """Dice of a long run."""

    chance: random.Random

    def number(self, low: int, high: int) -> int:
        return self.chance.randint(low, high)


@dataclass(frozen=True, slots=True)
class Drawn:
    """Dice of hypothesis."""

    draw: st.DrawFn

    def number(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))


def pick(dice: Dice, options: Sequence[T]) -> T:
    """One of the options; shrinks to the first."""
    return options[dice.number(0, len(options) - 1)]


def happens(dice: Dice, percent: int) -> bool:
    """True so often; shrinks to False."""
    return dice.number(0, 99) >= 100 - percent


def several(dice: Dice, most: int, make: Callable[[Dice], T]) -> list[T]:
    """Up to ``most`` things."""
    return [make(dice) for _ in range(dice.number(0, most))]


# --- values ----------------------------------------------------------------------------------------------------------

TYPES: Sequence[Json] = ("A", "B", "C", "<D>", None, 7, {}, "")
TIMES: Sequence[Json] = (
    at(1),
    at(2),
    at(2),
    at(9),
    "2026-01-01T00:02:00.000000001Z",
    "2026-01-01T01:02:00+0100",
    "2026-01-01T00:03:00+00:00",
    "2026-01-01T00:04:00",
    "",
    None,
    "0001-01-01T00:00:00Z",
    "soon",
    1767225600,
)
PIECES: Sequence[str] = (
    "a",
    "é",
    "€",
    "😀",
    "<",
    "&",
    "\u2028",
    "\n",
    '"',
    "\\",
    "\x01",
    "… [statuscap: 12 bytes cut]",
    "word ",
)
NUMBERS: Sequence[Json] = (0, 1, 1.0, -1, 2**53 + 1, 12345678901234567890, 0.1, 1e22, "10", "9", "x-9", "x-10")
MEMBERS: Sequence[str] = ("message", "reason", "status", "phase", "extra", "a/b", "til~de", "h<ml>", "", "x y")


def text(dice: Dice) -> str:
    """Short or long, plain or full of what Go escapes."""
    return pick(dice, PIECES) * pick(dice, (1, 5, 30, 60)) + "".join(several(dice, 4, lambda d: pick(d, PIECES)))


def scalar(dice: Dice) -> Json:
    return pick(dice, (*NUMBERS, None, True, False, text(dice)))


def value(dice: Dice, depth: int = 2) -> Json:
    """Anything at all."""
    kind = dice.number(0, 5 if depth else 3)
    if kind < 4:
        return scalar(dice)
    if kind == 4:
        return several(dice, 3, lambda d: value(d, depth - 1))
    return {pick(dice, MEMBERS): value(dice, depth - 1) for _ in range(dice.number(0, 3))}


def condition(dice: Dice) -> Json:
    """An object that looks like a condition, more or less."""
    if happens(dice, 4):
        return scalar(dice)
    made: dict[str, Json] = {} if happens(dice, 5) else {"type": pick(dice, TYPES[: 4 if happens(dice, 90) else None])}
    for field in ("lastTransitionTime", "lastUpdateTime", "lastProbeTime"):
        if happens(dice, 60 if field == "lastTransitionTime" else 30):
            made[field] = pick(dice, TIMES[: 4 if happens(dice, 80) else None])
    for field in ("message", "reason", "status"):
        if happens(dice, 40):
            made[field] = text(dice)
    if happens(dice, 15):
        made["transitionID"] = pick(dice, ("a", "b", "<c>", "d" * 60))
    if happens(dice, 10):
        made["observedGeneration"] = pick(dice, NUMBERS)
    if happens(dice, 10):
        made[pick(dice, MEMBERS)] = value(dice, 1)
    return made


def conditions(dice: Dice, most: int) -> list[Json]:
    """A list of them; as often as not every type once, as it should be."""
    made = several(dice, most, condition)
    if happens(dice, 50):
        return made
    return list({_type_of(one, at): one for at, one in enumerate(made)}.values())


def _type_of(one: Json, at: int) -> str | int:
    return repr(one["type"]) if isinstance(one, dict) and "type" in one else at


def record(dice: Dice) -> Json:
    """An entry of a history."""
    if happens(dice, 6):
        return scalar(dice)
    made: dict[str, Json] = {"id": dice.number(0, 6)} if happens(dice, 90) else {}
    if happens(dice, 60):
        made["k"] = pick(dice, ("x", "y", "<z>", 1, 1.0, None, {"a": 1}))
    if happens(dice, 60):
        made["t"] = pick(dice, TIMES[: 4 if happens(dice, 70) else None])
    if happens(dice, 50):
        made["m"] = text(dice)
    if happens(dice, 25):
        made["type"] = pick(dice, TYPES)
    if happens(dice, 25):
        made["l"] = several(dice, 5, lambda d: {"n": d.number(0, 4)})
    if happens(dice, 10):
        made[pick(dice, MEMBERS)] = value(dice, 1)
    return made


def node(dice: Dice) -> Json:
    made: dict[str, Json] = {"conditions": conditions(dice, 5)}
    if happens(dice, 50):
        made["message"] = text(dice)
    if happens(dice, 50):
        made["history"] = several(dice, 5, record)
    return made


PARTS: dict[str, Callable[[Dice], Json]] = {
    "conditions": lambda dice: conditions(dice, 9),
    "history": lambda dice: several(dice, 9, record),
    "clusterConditions": lambda dice: conditions(dice, 6),
    "nodeConditions": lambda dice: {name: conditions(dice, 5) for name in several(dice, 2, lambda d: pick(d, MEMBERS))},
    "parents": lambda dice: several(dice, 3, lambda d: {"n": d.number(0, 1), "conditions": conditions(d, 3)}),
    "nodes": lambda dice: {name: node(dice) for name in several(dice, 2, lambda d: pick(d, MEMBERS))},
    "set": lambda dice: several(dice, 6, lambda d: pick(d, ("a", "b", "<c>", text(d)))),
    "message": text,
    "phase": lambda dice: pick(dice, ("Running", "Done", "", None)),
    "extra": value,
}


def status(dice: Dice) -> Json:
    """A status of some of the parts; now and then a part is something else."""
    made = {name: make(dice) for name, make in PARTS.items() if happens(dice, 60)}
    if happens(dice, 5):
        made[pick(dice, tuple(PARTS))] = value(dice)
    return made


# --- managedFields ---------------------------------------------------------------------------------------------------


def fields_of(dice: Dice, owned: Json) -> Json:
    """A ``fieldsV1`` node that fits a value: some of it, item by item or as one leaf."""
    if not isinstance(owned, dict | list) or happens(dice, 20):
        return {}
    node: dict[str, Json] = {".": {}} if happens(dice, 60) else {}
    if isinstance(owned, dict):
        node |= {f"f:{name}": fields_of(dice, inner) for name, inner in owned.items() if happens(dice, 80)}
        return node
    for item in owned:
        if not happens(dice, 80):
            continue
        keys = [
            name for name in ("type", "id", "n") if isinstance(item, dict) and isinstance(item.get(name), str | int)
        ]
        if isinstance(item, dict) and keys:
            node["k:" + go({keys[0]: item[keys[0]]}).decode()] = fields_of(dice, item)
        elif not isinstance(item, dict | list):
            node["v:" + go(item).decode()] = {}
    return node


ODD_FIELDS: Sequence[Json] = (
    {"f:status": {"f:history": {'k:{"id":99}': {".": {}}}}},
    {"f:status": {"f:history": {"k:{": {}, "v:": {}, "q:": {}}}},
    {"f:status": 7},
    None,
    {"f:spec": {"f:queue": {}}},
)


def managed_entry(dice: Dice, owned: Json) -> Json:
    fields = pick(dice, ODD_FIELDS) if happens(dice, 10) else {"f:status": fields_of(dice, owned)}
    operation = pick(dice, ("Update", "Update", "Apply"))
    return entry(pick(dice, ("controller", "argocd", "kubectl")), fields, operation, time=at(dice.number(0, 3)))


def managed_fields(dice: Dice, owned: Json) -> list[Json] | None:
    """Up to three managers, each of them once; mostly consistent with the object."""
    if happens(dice, 30):
        return None
    entries = several(dice, 3, lambda d: managed_entry(d, owned))
    return list({(one["manager"], one["operation"]): one for one in entries}.values())


# --- policies --------------------------------------------------------------------------------------------------------

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
    "status.history[*].type",
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


def a_limit(dice: Dice) -> Limit:
    """A limit near to what the objects here are: some are above, some below, some at it."""
    action = pick(dice, ("Reject", "Reject", "Warn"))
    match dice.number(0, 3):
        case 0:
            return limit(dice.number(1, 1_200), "Status", action)
        case 1:
            return limit(dice.number(150, 1_800), "Object", action)
        case 2:
            return limit(dice.number(0, 6), pick(dice, LISTS), action)
        case _:
            return limit(dice.number(0, 90), pick(dice, TEXTS), action, length=True)


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


# --- writes ----------------------------------------------------------------------------------------------------------

Trimmed = Callable[[Attributes], Json]
"""What the API server would store after an answer."""


def an_object(dice: Dice) -> Json:
    made = status(dice)
    whole = custom_resource(made, managed=managed_fields(dice, made))
    if happens(dice, 3):
        whole["metadata"]["deletionTimestamp"] = at(5)
    return whole


def moved_on(dice: Dice, value: Json) -> Json:
    """A value in which a controller has set some times anew, and now and then something else."""
    match value:
        case dict():
            return {name: _moved_member(dice, name, inner) for name, inner in value.items()}
        case list():
            return [moved_on(dice, item) for item in value if not happens(dice, 3)]
        case _:
            return value


def _moved_member(dice: Dice, name: str, value: Json) -> Json:
    if name in ("lastTransitionTime", "lastUpdateTime", "transitionID") and happens(dice, 60):
        return pick(dice, (at(20), at(21), at(22), "2026-01-01T00:21:00.5Z", None, "e"))
    return text(dice) if isinstance(value, str) and happens(dice, 2) else moved_on(dice, value)


def a_write(dice: Dice, trim: Trimmed) -> Attributes:
    """A create or an update; often the stored object is what the submitted one is trimmed to, or nearly so."""
    submitted = an_object(dice)
    subresource = "" if happens(dice, 15) else "status"
    match dice.number(0, 9):
        case 0:
            return write(submitted, subresource=subresource)
        case 1:
            return write(submitted, an_object(dice), subresource=subresource)
        case 2:
            return write(submitted, submitted, subresource=subresource)
        case 3 | 4 | 5 | 6 | 7:
            later = submitted | {"status": moved_on(dice, submitted["status"])}
            stored = trim(write(submitted, subresource=subresource)) if happens(dice, 50) else submitted
            return write(later, stored, subresource=subresource)
        case kind:
            stored = trim(write(submitted, subresource=subresource))
            if kind == 9:
                stored["metadata"]["managedFields"] = managed_fields(dice, stored["status"]) or []
            elif "managedFields" in stored["metadata"] and happens(dice, 50):
                for one in submitted["metadata"]["managedFields"]:
                    one["time"] = at(30)
            return write(submitted, stored, subresource=subresource)
