"""Random writes: a create, or an update near or far from what is stored."""

from __future__ import annotations

from collections.abc import Callable

from admission.engine.attributes import Attributes
from tests.engine.build import Json, at, custom_resource, write
from tests.engine.strategies.dice import Dice, happens, pick
from tests.engine.strategies.managers import managed_fields
from tests.engine.strategies.values import status, text

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
