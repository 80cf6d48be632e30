"""Random statuses: repeated condition types, odd times, ``null``, nested lists and maps, names and texts to escape."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.engine.build import Json, at
from tests.engine.strategies.dice import Dice, happens, pick, several

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
    "\x7f",
    "\ufeff",
    "e\u0301",
    "👩\u200d👧",
    "\U0010ffff",
    "\u202e",
    "\x00",
)
NUMBERS: Sequence[Json] = (0, 1, 1.0, -1, 2**53 + 1, 12345678901234567890, 0.1, 1e22, "10", "9", "x-9", "x-10")
MEMBERS: Sequence[str] = (
    "message",
    "reason",
    "status",
    "phase",
    "extra",
    "a/b",
    "til~de",
    "h<ml>",
    "",
    "x y",
    "~1",
    "0",
    "-",
    "é",
)


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
    if kind == 4 and depth == 2 and happens(dice, 8):
        return deep(dice)
    if kind == 4:
        return several(dice, 3, lambda d: value(d, depth - 1))
    return {pick(dice, MEMBERS): value(dice, depth - 1) for _ in range(dice.number(0, 3))}


def deep(dice: Dice) -> Json:
    """Lists in objects in lists, many levels of them."""
    made: Json = text(dice)
    for level in range(pick(dice, (10, 40, 100))):
        made = [made] if level % 2 else {pick(dice, ("a", "conditions", "history")): made}
    return made


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


EXECUTORS: Sequence[str] = (
    *(f"exec-{number}" for number in (1, 2, 9, 10, 11, 100)),
    "EXEC-9",
    "<&>",
    "a/b",
    "",
    "9",
    "é",
)


def executor(dice: Dice) -> Json:
    """An entry of a map that is used as a history."""
    return pick(dice, ("RUNNING", "DONE", "PENDING")) if happens(dice, 40) else record(dice)


def executors(dice: Dice) -> Json:
    """A map of them."""
    return {name: executor(dice) for name in several(dice, 8, lambda d: pick(d, EXECUTORS))}


def node(dice: Dice) -> Json:
    made: dict[str, Json] = {"conditions": conditions(dice, 5)}
    if happens(dice, 20):
        made["executors"] = executors(dice)
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
    "executors": executors,
    "set": lambda dice: several(dice, 6, lambda d: pick(d, ("a", "b", "<c>", text(d)))),
    "message": text,
    "phase": lambda dice: pick(dice, ("Running", "Done", "", None)),
    "extra": value,
    "lastActiveTime": lambda dice: pick(dice, TIMES[: 4 if happens(dice, 80) else None]),
    "size": lambda dice: pick(dice, NUMBERS),
    "sizes": lambda dice: several(dice, 3, lambda d: pick(d, NUMBERS)),
    "beats": lambda dice: {name: pick(dice, TIMES) for name in several(dice, 2, lambda d: pick(d, MEMBERS))},
}


def status(dice: Dice) -> Json:
    """A status of some of the parts; now and then a part is something else."""
    made = {name: make(dice) for name, make in PARTS.items() if happens(dice, 70)}
    if happens(dice, 5):
        made[pick(dice, tuple(PARTS))] = value(dice)
    return made
