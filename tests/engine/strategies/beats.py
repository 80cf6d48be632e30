"""Random heartbeats: what is stored, with some leaves moved, and managers who did it."""

from __future__ import annotations

import json
from typing import Any

from tests.engine.build import Json, at, entry
from tests.engine.strategies.dice import Dice, happens, pick

_TIMES = (at(40), at(719), "2026-01-01T11:59:59.5Z", "2026-01-01T12:59:00+01:00", "soon", "2026-01-01T12:04:00Z")


def beaten(dice: Dice, value: Json, percent: int) -> Json:
    """A value in which so many of the leaves moved; a list is seldom another one."""
    match value:
        case dict():
            return {name: beaten(dice, inner, percent) for name, inner in value.items()}
        case list():
            items = [beaten(dice, item, percent) for item in value]
            return items[::-1] if happens(dice, 2) else items
        case _ if not happens(dice, percent):
            return value
        case _:
            return _moved(dice, value)


def _moved(dice: Dice, value: Json) -> Json:
    match value:
        case bool():
            return not value
        case int() | float():
            return pick(dice, (value + 1, value - 1, value * 1.04, value * 2, 0))
        case str() if value[:2] == "20":
            return pick(dice, _TIMES)
        case str() if value.isdigit():
            return str(int(value) + pick(dice, (1, -1, 7)))
        case str():
            return pick(dice, (value + "!", value, ""))
        case _:
            return pick(dice, (value, value, "x"))


def by_a_writer(dice: Dice, stored: Json, whole: Json, told: dict[str, Any]) -> Json:
    """The object that somebody sends whose managers are as stored, but for what the write makes of them."""
    sent = json.loads(json.dumps(whole))
    entries = (stored.get("metadata") or {}).get("managedFields")
    if not isinstance(entries, list) or not entries or not all(isinstance(one, dict) for one in entries):
        return sent
    made = [dict(one) for one in entries]
    writer = pick(dice, made)
    writer["time"] = at(720)
    told["field_manager"] = pick(dice, (None, str(writer.get("manager", "")), "", "kubectl"))
    match dice.number(0, 9):
        case 0:
            made.append(entry("newcomer", {"f:status": {"f:size": {}}}, pick(dice, ("Update", "Apply")), time=at(720)))
        case 1:
            writer["fieldsV1"] = {"f:status": {"f:phase": {}}}
        case 2:
            made.remove(writer)
        case _ if happens(dice, 20):
            made = made[::-1]
    sent["metadata"]["managedFields"] = made
    return sent
