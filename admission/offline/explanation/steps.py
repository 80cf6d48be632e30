"""What each step does, in a sentence or two."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from admission.engine.condition import TYPE, is_conditions
from admission.engine.fieldpath import FieldPath, Items
from admission.engine.pin import KeepWhere
from admission.engine.policy import Trim
from admission.engine.sides import Of
from admission.engine.steps import (
    Budget,
    CapConditions,
    CapList,
    CapMap,
    Dedupe,
    Drop,
    Expire,
    FitSchema,
    RestoreTimes,
    Step,
    Truncate,
)
from admission.engine.steps.strings import KeepPart
from admission.offline.explanation.wording import all_of, counted, duration, newest_is, sentence, size, together
from admission.policyfile.models import STEP_MODELS
from admission.policyfile.models.entry import first_sentence


def entry_told(entry: Trim) -> str:
    """What a step does, and when."""
    text = " ".join(told(entry.step))
    return f"{text} Only while {all_of(entry.when)}." if entry.when else text


def told(step: Step) -> list[str]:
    """What a step does; of one that nobody described here, what its reference says first, and where it works."""
    describe = DESCRIPTIONS.get(type(step))
    if describe is not None:
        return describe(step)
    return [f"{first_sentence(STEP_MODELS[step.kind].__doc__)} ({step.kind} at {together(step.paths)})"]


def _cap_conditions(step: CapConditions) -> list[str]:
    by = "" if step.type_field == TYPE else f", which stands in {step.type_field}"
    if step.keep_types is None:
        stays = "the newest of every type always stays"
    elif step.keep_types:
        stays = f"of the types {together(step.keep_types)} the newest always stays, of others none has to"
    else:
        stays = "of no type one has to stay"
    return [sentence(f"keeps the newest {step.max} conditions of {step.path}; {stays}{by}")]


def _cap_list(step: CapList) -> list[str]:
    kept = sentence(f"keeps {counted(step.max, 'item')} of {step.path}; {newest_is(step.order)}")
    pins = [*_positions(step), *_pins(step.keep_where)]
    if is_conditions(step.path.names[-1:]):
        pins.append("the newest condition of every type")
    return [kept, *_always_stay(pins)]


def _positions(step: CapList) -> list[str]:
    first = [f"the first {step.keep_first}" if step.keep_first > 1 else "the first one"] if step.keep_first else []
    last = [f"the last {step.keep_last}" if step.keep_last > 1 else "the last one"] if step.keep_last else []
    return first + last


def _pins(pins: Sequence[KeepWhere]) -> list[str]:
    return [
        f"items where {all_of(pin.all)}" + ("" if pin.newest is None else f" (the newest {pin.newest} of them)")
        for pin in pins
    ]


def _always_stay(pins: Sequence[str]) -> list[str]:
    if not pins:
        return []
    return [sentence(f"of them always stay, even when they are more: {'; '.join(pins)}")]


def _expire(step: Expire) -> list[str]:
    one = len(step.time_fields) == 1
    fields = f"their {step.time_fields[0]}" if one else f"the first time among their {together(step.time_fields)}"
    gone = sentence(
        f"removes items of {step.path} that are older than {duration(step.older_than)} by {fields}; an item of unknown "
        "age stays"
    )
    newest = (
        [] if not step.keep_newest else [f"the newest {step.keep_newest}" if step.keep_newest > 1 else "the newest one"]
    )
    return [gone, *_always_stay([*newest, *_pins(step.keep_where)])]


def _dedupe(step: Dedupe) -> list[str]:
    which = "of neighbours in" if step.scope.value == "Consecutive" else "of items of"
    if step.ignoring is None:
        equal = f"with the same {together(step.keys)}"
    elif step.ignoring:
        equal = f"that are equal but for {together(step.ignoring)}"
    else:
        equal = "that are equal"
    place = ", at the place of the first of them" if step.position.value == "First" else ""
    return [sentence(f"{which} {step.path} {equal} keeps the {step.keep.value.lower()}{place}")]


def _cap_map(step: CapMap) -> list[str]:
    by = step.order.by
    newest = "the highest key is the newest (exec-10 is newer than exec-9)" if by is None else newest_is(by)
    kept = sentence(
        f"keeps {counted(step.max, 'entry') if step.max == 1 else f'{step.max} entries'} of {step.path}; {newest}"
    )
    only = [sentence(f"only entries go where {all_of(step.evict_where)}")] if step.evict_where else []
    return [kept, *only]


_PARTS: Final = {KeepPart.HEAD: "the start", KeepPart.TAIL: "the end", KeepPart.HEAD_AND_TAIL: "the start and the end"}


def _truncate(step: Truncate) -> list[str]:
    return [
        sentence(f"cuts {together(step.paths)} to {size(step.max_bytes)}, marker included; {_PARTS[step.keep]} stays")
    ]


def _drop(step: Drop) -> list[str]:
    return [sentence(f"removes {together(step.paths)}")]


def _restore_times(step: RestoreTimes) -> list[str]:
    items = FieldPath((*step.path.segments, Items()))
    equal = (
        "is equal but for its times and its observedGeneration"
        if step.unless is None
        else f"has the same {together(step.unless)}"
    )
    return [
        sentence(
            f"puts the stored {together(step.fields)} back in {items} where the stored one with the same "
            f"{together(step.keys)} {equal}"
        )
    ]


def _fit_schema(step: FitSchema) -> list[str]:
    what = together(step.paths) if step.paths else "all strings and lists of which the CRD limits the size"
    return [
        sentence(f"cuts {what} to the maxLength and maxItems of the CRD; of strings and lists the start stays"),
        sentence("of conditions the newest of every type stays, and without the CRD nothing is cut"),
    ]


def _budget(step: Budget) -> list[str]:
    what = "whole object" if step.of is Of.OBJECT else "status"
    first = sentence(f"while the {what} takes more than {size(step.max_bytes)}, does this, one after the other")
    return [first, *(f"({number}) {entry_told(entry)}" for number, entry in enumerate(step.steps, 1))]


DESCRIPTIONS: Final[Mapping[type[Step], Callable[[Any], list[str]]]] = {
    CapConditions: _cap_conditions,
    CapList: _cap_list,
    Expire: _expire,
    Dedupe: _dedupe,
    CapMap: _cap_map,
    Truncate: _truncate,
    Drop: _drop,
    RestoreTimes: _restore_times,
    FitSchema: _fit_schema,
    Budget: _budget,
}
"""How each step is told of."""
