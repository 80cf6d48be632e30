"""Steps for times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, TypeAlias

from msgspec import Raw

from admission.engine.condition import OBSERVED_GENERATION, PROTECTED_FIELDS, TYPE
from admission.engine.decision import Reason
from admission.engine.document import Document
from admission.engine.fieldpath import FieldPath, Member
from admission.engine.licence import Licence, Restoring
from admission.engine.pairing import equal_as_sent, pairs
from admission.engine.steps.base import Effect
from admission.engine.steps.order import DEFAULT_TIME_FIELDS
from admission.engine.steps.strings import is_exact
from admission.engine.twin import keyed_texts, paired_twins
from admission.engine.values import (
    Container,
    List,
    Object,
    Trail,
    Value,
    is_list,
    open_child,
    open_object,
    opened,
    same,
)

TRANSITION_TIME: Final = "lastTransitionTime"
BY_TYPE: Final = (FieldPath((Member(TYPE),)),)
NO_STATE: Final = frozenset({*DEFAULT_TIME_FIELDS, OBSERVED_GENERATION})
"""What may differ between an item and its stored twin although nothing transitioned."""

_Change: TypeAlias = tuple[str, str]
"""A text as it was sent, and as it is stored."""


@dataclass(frozen=True, slots=True)
class RestoreTimes:
    """Puts stored texts back in items that are what they were.

    Shape: ``path`` leads to a list of conditions. An item's twin is the stored one with equal ``keys``; keys that
    occur twice on either side have none. The texts of ``fields`` go back where the two are equal: with ``unless`` None
    (``All``) in everything but ``fields``, the default time fields and ``observedGeneration``, else in the fields of
    ``unless``. Only texts on both sides; a field that one side lacks is left alone.
    """

    kind: ClassVar[str] = "restoreTimes"

    path: FieldPath
    keys: tuple[FieldPath, ...] = BY_TYPE
    fields: tuple[str, ...] = (TRANSITION_TIME,)
    unless: tuple[str, ...] | None = None

    @property
    def paths(self) -> tuple[FieldPath, ...]:
        """The one list."""
        return (self.path,)

    @property
    def licence(self) -> Licence:
        """The fields may become what is stored; the list holds conditions."""
        return Licence(restoring=(Restoring(self.path, self.keys, self.fields),), conditions=self.paths)

    def apply(self, document: Document, now: int) -> Effect:
        """Put back what did not transition, in every list that the path leads to."""
        effect = Effect()
        for trail, container, key, before in pairs(document.object, document.stored_view, self.path.segments):
            value: Value = container[key]  # type: ignore[index]
            if not is_list(value):
                continue
            effect.found = True
            if before is None or not is_list(before) or equal_as_sent(value, before):
                continue
            items, stored = open_child(container, key), opened(before)
            assert isinstance(items, list), "it is a list"  # noqa: S101
            assert isinstance(stored, list), "it is a list"  # noqa: S101
            for position, other, texts in self._to_restore(items, stored):
                here = (*trail, key, position)
                _put_back(document, here, open_object(items, position), opened(stored[other]), texts, effect)
        return effect

    def _to_restore(self, items: List, stored: List) -> Iterator[tuple[int, int, Mapping[str, _Change]]]:
        """Items and their twins that have another text in some fields, and are equal otherwise."""
        twins, texts = keyed_texts(items, self.keys, self.fields)
        others, earlier = keyed_texts(stored, self.keys, self.fields)
        for position, other in paired_twins(twins, others):
            if texts[position] == earlier[other]:
                continue
            rows = zip(self.fields, texts[position], earlier[other], strict=True)
            changes = {
                name: (now, before)
                for name, now, before in rows
                if now is not None and before not in (None, now) and name not in PROTECTED_FIELDS
            }
            if changes and self._is_what_it_was(items[position], stored[other], changes):
                yield position, other, changes

    def _is_what_it_was(self, item: Value, stored: Value, changes: Mapping[str, _Change]) -> bool:
        if _differs_only_in(item, stored, changes):
            return True
        left, right = opened(item), opened(stored)
        if not isinstance(left, dict) or not isinstance(right, dict):
            return False
        if self.unless is not None:
            return all(_same_member(left, right, name) for name in self.unless)
        ignored = NO_STATE.union(self.fields)
        compared = left.keys() - ignored
        return compared == right.keys() - ignored and all(same(left[name], right[name]) for name in compared)

    def compares(self, name: str) -> bool:
        """True when a difference in a field of the item would be a transition."""
        return name in self.unless if self.unless is not None else name not in NO_STATE.union(self.fields)


def _differs_only_in(item: Value, stored: Value, changes: Mapping[str, _Change]) -> bool:
    """True when untouched bytes are equal but for these texts; a no says nothing.

    Every text stands once in the bytes, and what is replaced is all that differs: then it is the item's own member
    that was replaced, since that differs.
    """
    if type(item) is not Raw or type(stored) is not Raw:
        return False
    data = bytes(item)
    for name, (now, before) in changes.items():
        sent = f'"{name}":"{now}"'.encode()
        if data.count(sent) != 1:
            return False
        data = data.replace(sent, f'"{name}":"{before}"'.encode())
    return data == stored


def _put_back(
    document: Document,
    trail: Trail,
    members: Container | None,
    stored: Container | None,
    changes: Mapping[str, _Change],
    effect: Effect,
) -> None:
    assert isinstance(members, dict), "it has texts"  # noqa: S101
    assert isinstance(stored, dict), "it has texts"  # noqa: S101
    for name, (_, before) in changes.items():
        value = stored[name]
        if type(value) is not Raw or not _may(document, trail, name, before):
            continue
        demands = document.demands((*trail, name))
        if demands is not None and not demands.text.admits(before):  # stored before the schema demanded it
            effect.reason = Reason.SCHEMA_REQUIRES
            continue
        if document.co_owned((*trail, name)):
            effect.reason = Reason.CO_OWNED
            continue
        effect.items += 1
        effect.put_back += 1
        document.put_back(trail, members, name, value)


def _same_member(left: Object, right: Object, name: str) -> bool:
    if name not in left or name not in right:
        return name not in left and name not in right
    return same(left[name], right[name])


def _may(document: Document, trail: Trail, name: str, text: str) -> bool:
    """False for what tells items apart, and for a text that a step at work would cut again."""
    if document.names_an_item(trail, name):
        return False
    return is_exact(text) or not any(licence.cuts((*trail, name)) for licence in document.at_work)
