"""Steps for duplicates in lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from admission.engine.condition import last_of_their_type, types_of
from admission.engine.document import Document
from admission.engine.fieldpath import FieldPath
from admission.engine.licence import Licence
from admission.engine.steps.base import Effect, removable, remove
from admission.engine.steps.order import DEFAULT_TIME_FIELDS, time_ranks, times_of
from admission.engine.twin import Twin, comparable, twin_by_keys
from admission.engine.values import List, Trail, open_object


class Scope(StrEnum):
    """Which items with equal keys count as duplicates."""

    ALL = "All"
    CONSECUTIVE = "Consecutive"


class Keep(StrEnum):
    """Which of several duplicates stays."""

    FIRST = "First"
    LAST = "Last"
    NEWEST = "Newest"


class Position(StrEnum):
    """Where the one that stays stands."""

    OF_KEPT = "OfKept"
    FIRST = "First"


@dataclass(frozen=True, slots=True)
class Dedupe:
    """Of items with equal keys one stays, at its own place or at the place of the first of them.

    ``keys`` are fields of the item (all must be there, ``null`` is absent; items that lack one are left alone and
    end a consecutive run); ``ignoring`` instead compares everything but the fields named. In a list of conditions
    the newest of a type of which none would be left stays as well.
    """

    kind: ClassVar[str] = "dedupe"

    path: FieldPath
    keep: Keep
    keys: tuple[FieldPath, ...] = ()
    ignoring: tuple[str, ...] | None = None
    scope: Scope = Scope.ALL
    position: Position = Position.OF_KEPT
    time_fields: tuple[str, ...] = DEFAULT_TIME_FIELDS

    @property
    def paths(self) -> tuple[FieldPath, ...]:
        """The one list."""
        return (self.path,)

    @property
    def licence(self) -> Licence:
        """The list shrinks, and its order may change when survivors move to the first place."""
        return Licence(shrinking=self.paths, reordering=self.paths if self.position is Position.FIRST else ())

    def apply(self, document: Document, now: int) -> Effect:
        """Remove duplicates from every list that the path leads to."""
        effect = Effect()
        for trail, items in document.lists(self.path):
            effect.found = True
            if len(items) < 2:
                continue
            survivors = {positions: self._survivor(items, positions) for positions in self._groups(items)}
            going = removable(document, trail, items, self._going(document, trail, items, survivors), effect)
            if self.position is Position.FIRST and not document.co_owned(trail):
                going = self._moved_to_first(document, trail, items, survivors, going, effect)
            remove(document, trail, items, going, effect)
        return effect

    def _groups(self, items: List) -> Iterator[tuple[int, ...]]:
        twins = [self._twin(items, position) for position in range(len(items))]
        if self.scope is Scope.ALL:
            groups: dict[Twin, list[int]] = {}
            for position, twin in enumerate(twins):
                if twin is not None:
                    groups.setdefault(twin, []).append(position)
            yield from (tuple(group) for group in groups.values() if len(group) > 1)
            return
        run: list[int] = []
        for position, twin in enumerate(twins):
            if run and (twin is None or twin != twins[run[-1]]):
                if len(run) > 1:
                    yield tuple(run)
                run = []
            if twin is not None:
                run.append(position)
        if len(run) > 1:
            yield tuple(run)

    def _twin(self, items: List, position: int) -> Twin | None:
        if self.ignoring is not None:
            members = open_object(items, position)
            if members is None:
                return None
            return tuple(
                sorted((name, comparable(value)) for name, value in members.items() if name not in self.ignoring)
            )
        return twin_by_keys(items, position, self.keys)

    def _survivor(self, items: List, positions: Sequence[int]) -> int:
        match self.keep:
            case Keep.FIRST:
                return positions[0]
            case Keep.LAST:
                return positions[-1]
            case Keep.NEWEST:
                times = times_of([items[position] for position in positions], self.time_fields)
                ranks = time_ranks(times, range(len(times)))
                return positions[max(range(len(positions)), key=ranks.__getitem__)]

    def _going(
        self, document: Document, trail: Trail, items: List, survivors: dict[tuple[int, ...], int]
    ) -> Sequence[int]:
        """The duplicates, oldest first."""
        going = {position for group, survivor in survivors.items() for position in group if position != survivor}
        if going and document.licence.is_conditions(trail):
            types = types_of(items)
            ranks = time_ranks(times_of(items, self.time_fields), types)
            going -= last_of_their_type(types, going, ranks)
        if document.schema is None:
            return sorted(going)  # all go, whatever their age
        return sorted(going, key=time_ranks(times_of(items, self.time_fields), going).__getitem__)

    @staticmethod
    def _moved_to_first(
        document: Document,
        trail: Trail,
        items: List,
        survivors: dict[tuple[int, ...], int],
        going: Sequence[int],
        effect: Effect,
    ) -> Sequence[int]:
        """Put every survivor in the place of the first of its group that goes; returns the places to empty."""
        emptied = set(going)
        for group, survivor in survivors.items():
            first = group[0]
            if first < survivor and first in emptied:  # no other group has it: it is still to go
                effect.bytes += document.move_item(trail, items, survivor, first)
                emptied.remove(first)
                emptied.add(survivor)
        return sorted(emptied)
