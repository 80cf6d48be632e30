"""Pins that count what they keep: the loader refuses them on fields that a step changes, so none is drawn there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from admission.engine.fieldpath import FieldPath, Items
from admission.engine.licence import Licence
from admission.engine.pin import KeepWhere
from admission.engine.policy import Policy, Trim
from admission.engine.steps import Budget, CapList, Expire
from admission.policyfile.overlap import leads_into


def counting_what_stays(policies: Sequence[Policy]) -> tuple[Policy, ...]:
    """The policies; a pin whose answer one of their steps could change keeps all that meet it, however many."""
    changed = [path for one in policies for path in _changed(one.licence)]
    return tuple(replace(one, trim=tuple(_steady(entry, changed) for entry in one.trim)) for one in policies)


def _changed(licence: Licence) -> Iterator[FieldPath]:
    yield from (*licence.cutting, *licence.dropping, *(path for one in licence.fitting for path in one.paths))


def _steady(entry: Trim, changed: Iterable[FieldPath]) -> Trim:
    step = entry.step
    if isinstance(step, Budget):
        return replace(entry, step=replace(step, steps=tuple(_steady(inner, changed) for inner in step.steps)))
    if not isinstance(step, CapList | Expire) or not changed:
        return entry
    pins = tuple(_steady_pin(pin, step.path, changed) for pin in step.keep_where)
    return replace(entry, step=replace(step, keep_where=pins))


def _steady_pin(pin: KeepWhere, path: FieldPath, changed: Iterable[FieldPath]) -> KeepWhere:
    asked = [FieldPath((*path.segments, Items(), *one.field.segments)) for one in pin.all]
    turns = any(leads_into(one, other) for one in asked for other in changed)
    return replace(pin, newest=None) if turns else pin
