"""Steps for lists of conditions, and what protects a condition from every step."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from admission.engine.decision import Reason
from admission.engine.document import Document
from admission.engine.fieldpath import FieldPath
from admission.engine.steps.base import Effect
from admission.engine.steps.order import DEFAULT_TIME_FIELDS, Rank, item_time, time_ranks
from admission.engine.values import List, open_object, text_of

TYPE: Final = "type"
PROTECTED_FIELDS: Final = frozenset({TYPE, "status", "reason", "observedGeneration"})
"""Read by machines; no step changes them in a condition (invariant I6)."""


@dataclass(frozen=True, slots=True)
class CapConditions:
    """Removes the oldest surplus of a list of conditions.

    Older entries of a type that occurs twice, and entries of types that may go, leave in one order of age until
    ``max`` are left. With ``keep_types`` None (``All``) the newest of every type stays, even above ``max`` (reason
    ``CapUnreachable``); with a list, only those types must stay. Items without a string type neither count nor go.
    """

    kind: ClassVar[str] = "capConditions"
    names_conditions: ClassVar[bool] = True

    path: FieldPath
    max: int
    type_field: str = TYPE
    keep_types: tuple[str, ...] | None = None
    time_fields: tuple[str, ...] = DEFAULT_TIME_FIELDS

    @property
    def paths(self) -> tuple[FieldPath, ...]:
        """The one list."""
        return (self.path,)

    def apply(self, document: Document, now: int) -> Effect:
        """Trim every list that the path leads to."""
        effect = Effect()
        for trail, items in document.lists(self.path):
            effect.found = True
            if len(items) <= self.max:
                continue
            types = types_of(items, self.type_field)
            surplus = len(types) - self.max
            if surplus <= 0:
                continue
            going = self._oldest_removable(items, types, surplus)
            if len(going) < surplus:
                effect.reason = Reason.CAP_UNREACHABLE
            if not going:
                continue
            if document.co_owned(trail):
                effect.reason = Reason.CO_OWNED
                continue
            effect.items += len(going)
            effect.bytes += document.remove_items(trail, items, going)
        return effect

    def _oldest_removable(self, items: List, types: Mapping[int, str], surplus: int) -> Sequence[int]:
        times = [
            item_time(items, position, self.time_fields) if position in types else None
            for position in range(len(items))
        ]
        ranks = time_ranks(times, types)
        newest = newest_of_each(types, ranks)
        protected = newest if self.keep_types is None else {p for p in newest if types[p] in self.keep_types}
        removable = sorted(types.keys() - protected, key=ranks.__getitem__)
        return removable[:surplus]


def types_of(items: List, field: str = TYPE) -> dict[int, str]:
    """The type of every item that has one (a string), by position."""
    found: dict[int, str] = {}
    for position in range(len(items)):
        members = open_object(items, position)
        if members is not None:
            text = text_of(members.get(field))
            if text is not None:
                found[position] = text
    return found


def newest_of_each(types: Mapping[int, str], ranks: Sequence[Rank]) -> set[int]:
    """The positions of the newest item of every type."""
    newest: dict[str, int] = {}
    for position, name in types.items():
        if name not in newest or ranks[position] > ranks[newest[name]]:
            newest[name] = position
    return set(newest.values())


def last_of_their_type(types: Mapping[int, str], going: Collection[int], ranks: Sequence[Rank]) -> set[int]:
    """Of items that are to go, the newest of every type of which none would stay (invariant I7)."""
    staying = {name for position, name in types.items() if position not in going}
    orphaned = {position: types[position] for position in going if position in types and types[position] not in staying}
    return newest_of_each(orphaned, ranks)
