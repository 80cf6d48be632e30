"""Requirements on items that hardly ask for what was meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from admission.engine.fieldpath import EveryEntry, FieldPath, Index, Items
from admission.engine.requirement import Requirement
from admission.engine.steps import CapList, CapMap, Expire
from admission.errors import Problem
from admission.policyfile.notes.placed import Placed, Read, placed


def fields_from_the_object_on(policies: Sequence[Read]) -> Iterator[Problem]:
    """Fields of pins and evictions that are written from the object on: they are read from the item on."""
    steps: list[Placed[CapList | Expire | CapMap]] = [*placed(policies, CapList)]
    steps += placed(policies, Expire)
    steps += placed(policies, CapMap)
    for found in sorted(steps, key=lambda each: each.turn):
        around = found.step.path.segments
        for field in dict.fromkeys(each.field for each in _asked(found.step)):
            if field.segments[: len(around)] == around:
                yield found.says(f"{field} is read from each item on, where it is not; write {_below(field, around)}")


def _asked(step: CapList | Expire | CapMap) -> Sequence[Requirement]:
    if isinstance(step, CapMap):
        return step.evict_where
    return [requirement for pin in step.keep_where for requirement in pin.all]


def _below(field: FieldPath, around: Sequence[object]) -> FieldPath:
    rest = field.segments[len(around) :]
    return FieldPath(rest[1:] if rest and isinstance(rest[0], EveryEntry | Items | Index) else rest)
