"""Steps for lists of conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from admission.engine.condition import TYPE, Rank, newest_of_each, types_of
from admission.engine.decision import Reason
from admission.engine.document import Document
from admission.engine.fieldpath import FieldPath
from admission.engine.licence import Leaving, Licence
from admission.engine.steps.base import Effect, remove
from admission.engine.steps.order import DEFAULT_TIME_FIELDS, row_times, time_ranks
from admission.engine.texts import texts_of_each
from admission.engine.values import List, Trail


@dataclass(frozen=True, slots=True)
class CapConditions:
    """Removes the oldest surplus of a list of conditions.

    Older entries of a type that occurs twice, and entries of types that may go, leave in one order of age until
    ``max`` are left. With ``keep_types`` None (``All``) the newest of every type stays, even above ``max`` (reason
    ``CapUnreachable``); with a list, only those types must stay. Items without a string type neither count nor go.
    """

    kind: ClassVar[str] = "capConditions"

    path: FieldPath
    max: int
    type_field: str = TYPE
    keep_types: tuple[str, ...] | None = None
    time_fields: tuple[str, ...] = DEFAULT_TIME_FIELDS

    @property
    def paths(self) -> tuple[FieldPath, ...]:
        """The one list."""
        return (self.path,)

    @property
    def licence(self) -> Licence:
        """The list shrinks; with a list of types to keep, others may go wholly."""
        leaving = self.keep_types is not None and self.type_field == TYPE
        return Licence(
            shrinking=self.paths,
            conditions=self.paths,
            leaving=(Leaving(self.path, self.keep_types or ()),) if leaving else (),
        )

    def apply(self, document: Document, now: int) -> Effect:
        """Trim every list that the path leads to."""
        effect = Effect()
        for trail, items in document.lists(self.path):
            effect.found = True
            self.cap(document, trail, items, effect)
        return effect

    def cap(self, document: Document, trail: Trail, items: List, effect: Effect) -> None:
        """Trim the list at ``trail``."""
        if len(items) <= self.max:
            return
        rows = texts_of_each(items, (self.type_field, *self.time_fields))
        names = [row[0] if row else None for row in rows]
        types = {position: name for position, name in enumerate(names) if name is not None}
        surplus = len(types) - self.max
        if surplus <= 0:
            return
        ranks = time_ranks(row_times(rows, 1), types)
        going = self._oldest_removable(items, types, ranks, surplus)
        if len(going) < surplus:
            effect.reason = Reason.CAP_UNREACHABLE
        if self.type_field == TYPE and going:
            document.note_types(trail, names)
        remove(document, trail, items, going, effect)

    def _oldest_removable(
        self, items: List, types: Mapping[int, str], ranks: Sequence[Rank], surplus: int
    ) -> Sequence[int]:
        oldest_first = sorted(types, key=ranks.__getitem__)
        newest = {types[position]: position for position in oldest_first}  # of equal types the last one counts
        staying = {at for name, at in newest.items() if self.keep_types is None or name in self.keep_types}
        if self.type_field != TYPE:  # whatever the cap counts by, the last of a type stays
            staying |= newest_of_each(types_of(items), ranks)
        return [position for position in oldest_first if position not in staying][:surplus]
