"""Steps that go by the schema of the kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Final

from msgspec import Raw

from admission.engine.condition import types_of
from admission.engine.decision import Reason
from admission.engine.document import Document
from admission.engine.fieldpath import EveryEntry, FieldPath, Member
from admission.engine.licence import Fitting, Licence
from admission.engine.schema import Schema
from admission.engine.steps.base import Effect, remove
from admission.engine.steps.conditions import CapConditions
from admission.engine.steps.strings import is_exact
from admission.engine.values import Container, Key, List, Trail, Value, quoted, text_of

_CAP: Final = CapConditions(FieldPath(()), 0)
_NO_LENGTH: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class FitSchema:
    """Cuts strings and lists to the ``maxLength`` and ``maxItems`` of the kind's schema, beyond which a write fails.

    ``paths`` lead to the strings and lists; without them every one in the root is meant that the schema limits. A
    string keeps its start, in code points and without a marker; a list of conditions what ``capConditions`` would
    leave, another list its first items. Left alone: strings with a pattern, an enum or a format, times and quantities,
    what tells the items of a list apart, and a condition's ``type``, ``status``, ``reason`` and
    ``observedGeneration``. Without a schema nothing is done (reason ``SchemaUnknown``).
    """

    kind: ClassVar[str] = "fitSchema"

    paths: tuple[FieldPath, ...] = ()

    @property
    def licence(self) -> Licence:
        """The strings and lists are cut, no shorter than the schema has it."""
        return Licence(fitting=(Fitting(self.paths),))

    def apply(self, document: Document, now: int) -> Effect:
        """Cut what is too large."""
        effect = Effect()
        if document.schema is None:
            effect.reason = Reason.SCHEMA_UNKNOWN
            return effect
        if not self.paths:
            _fit_all(document, effect)
        for path in self.paths:
            _fit_path(document, path, document.schema, effect)
        return effect


def _fit_all(document: Document, effect: Effect) -> None:
    schema, root = document.demands((document.root,)), document.root
    if schema is None or schema.least_too_large is None or root not in document.object:
        return
    effect.found = True
    for trail, container, key in _too_large(document, schema, (), document.object, root):
        _fit(document, trail, container, key, effect)


def _fit_path(document: Document, path: FieldPath, schema: Schema, effect: Effect) -> None:
    for trail, container, key in document.places(path, at_least=_least(path, schema)):
        effect.found = True
        document.led_to_something(path)
        _fit(document, trail, container, key, effect)
    effect.found = effect.found or document.leads_anywhere(path)


def _least(path: FieldPath, schema: Schema) -> int:
    """The fewest bytes of what a path leads to, or comes by, that are worth a look."""
    here: Schema | None = schema
    for segment in path.segments:
        if here is None:
            return _NO_LENGTH
        if isinstance(segment, EveryEntry) and here.properties:
            return 0  # of each another schema holds
        if isinstance(segment, Member):
            here = here.properties.get(segment.name, here.entries)
        else:
            here = here.entries if isinstance(segment, EveryEntry) else here.items
    return _NO_LENGTH if here is None or here.least_too_large is None else here.least_too_large


def _too_large(
    document: Document, schema: Schema, trail: Trail, container: Container, key: Key
) -> Iterator[tuple[Trail, Container, Key]]:
    """Every place at or below ``container[key]`` that the schema limits; a list before what is in it."""
    value: Value = container[key]  # type: ignore[index]
    least = schema.least_too_large
    if least is None or (type(value) is Raw and len(value) < least):
        return
    if schema.max_items is not None or schema.max_length is not None:
        yield trail, container, key
    inside, here = document.sent.open_copy(container, key), (*trail, key)
    if isinstance(inside, list) and schema.items is not None:
        for position in range(len(inside)):
            yield from _too_large(document, schema.items, here, inside, position)
    elif isinstance(inside, dict):
        for name in tuple(inside):
            member = schema.properties.get(name, schema.entries)
            if member is not None:
                yield from _too_large(document, member, here, inside, name)


def _fit(document: Document, trail: Trail, container: Container, key: Key, effect: Effect) -> None:
    here = (*trail, key)
    schema = document.demands(here)
    if schema is None:
        return
    if schema.max_items is not None:
        items = document.sent.open_copy(container, key)
        if isinstance(items, list) and len(items) > schema.max_items:
            _shorten(document, here, items, schema.max_items, effect)
    if schema.max_length is not None and document.licence.fits(here):
        _cut(document, trail, container, key, schema, effect)


def _shorten(document: Document, trail: Trail, items: List, most: int, effect: Effect) -> None:
    """Remove what is too much: of conditions the oldest, else the last."""
    if not document.licence.is_conditions(trail):
        remove(document, trail, items, range(len(items) - 1, most - 1, -1), effect)
        return
    without_type = len(items) - len(types_of(items))  # these stay
    replace(_CAP, max=max(0, most - without_type)).cap(document, trail, items, effect)
    if len(items) > most and not effect.reason:
        effect.reason = Reason.CAP_UNREACHABLE


def _cut(document: Document, trail: Trail, container: Container, key: Key, schema: Schema, effect: Effect) -> None:
    text, most = text_of(container[key]), schema.max_length  # type: ignore[index]
    if text is None or most is None or len(text) <= most or schema.text.is_exact or is_exact(text):
        return
    if document.names_an_item(trail, key):
        return
    if document.co_owned((*trail, key)):
        effect.reason = Reason.CO_OWNED
        return
    if most < schema.text.min_length:
        effect.reason = Reason.SCHEMA_REQUIRES
        return
    effect.items += 1
    effect.bytes += document.replace(trail, container, key, quoted(text[:most]))
