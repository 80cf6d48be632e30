"""Steps for lists."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from admission.engine.condition import Rank, last_of_their_type, newest_of_each, types_of
from admission.engine.decision import Reason
from admission.engine.document import Document
from admission.engine.fieldpath import FieldPath
from admission.engine.licence import Licence
from admission.engine.pin import KeepWhere, Pinning
from admission.engine.steps.base import Effect, remove
from admission.engine.steps.order import DEFAULT_TIME_FIELDS, NEWEST_LAST, Order, zoned_times_of
from admission.engine.steps.pins import pinned_items
from admission.engine.values import List, Trail


@dataclass(frozen=True, slots=True)
class CapList:
    """Keeps the newest ``max`` items of a list; pinned items first.

    ``keep_first`` and ``keep_last`` pin items by position, ``keep_where`` by requirements on the item. Pins count
    toward ``max`` and may exceed it on their own (reason ``CapUnreachable``). ``order`` only selects: what stays keeps
    its place. In a list of conditions the newest of every type of which nothing is pinned is pinned too.
    """

    kind: ClassVar[str] = "capList"

    path: FieldPath
    max: int
    order: Order
    keep_first: int = 0
    keep_last: int = 0
    keep_where: tuple[KeepWhere, ...] = ()

    @property
    def paths(self) -> tuple[FieldPath, ...]:
        """The one list."""
        return (self.path,)

    @property
    def licence(self) -> Licence:
        """The list shrinks, but for what is pinned."""
        pins = self._pins
        return Licence(shrinking=self.paths, pinning=() if pins == Pinning(self.path) else (pins,))

    @property
    def _pins(self) -> Pinning:
        return Pinning(self.path, self.keep_first, self.keep_last, self.keep_where)

    def apply(self, document: Document, now: int) -> Effect:
        """Trim every list that the path leads to."""
        effect = Effect()
        for trail, items in document.lists(self.path):
            effect.found = True
            if len(items) <= self.max:
                continue
            pinned, ranks = pinned_items(self._pins, items, partial(self.order.ranks, items), now)
            if document.licence.is_conditions(trail):
                types = types_of(items)
                staying = {types[position] for position in pinned if position in types}
                pinned |= newest_of_each({p: name for p, name in types.items() if name not in staying}, ranks)
            if len(pinned) > self.max:
                effect.reason = Reason.CAP_UNREACHABLE
            free = sorted((p for p in range(len(items)) if p not in pinned), key=ranks.__getitem__)
            going = free[: len(items) - max(self.max, len(pinned))]
            remove(document, trail, items, going, effect)
        return effect


@dataclass(frozen=True, slots=True)
class Expire:
    """Removes items whose known time is more than ``older_than`` nanoseconds before now.

    Items without a time stay, and so does a time without a zone or from the future: its age is not known. So do the
    newest ``keep_newest`` of the items that ``keep_where`` does not pin. ``order`` decides among equal times, and among
    all items when the time of one that is compared is unknown. In a list of conditions the newest of a type of which
    none would be left stays as well.
    """

    kind: ClassVar[str] = "expire"

    path: FieldPath
    older_than: int
    time_fields: tuple[str, ...] = DEFAULT_TIME_FIELDS
    keep_newest: int = 1
    keep_where: tuple[KeepWhere, ...] = ()
    order: Order = NEWEST_LAST

    @property
    def paths(self) -> tuple[FieldPath, ...]:
        """The one list."""
        return (self.path,)

    @property
    def licence(self) -> Licence:
        """The list shrinks, but for what is pinned and so many of the rest."""
        newest = (KeepWhere((), self.keep_newest),) if self.keep_newest else ()
        where = (*self.keep_where, *newest)
        return Licence(shrinking=self.paths, pinning=(Pinning(self.path, where=where),) if where else ())

    def apply(self, document: Document, now: int) -> Effect:
        """Trim every list that the path leads to."""
        effect = Effect()
        for trail, items in document.lists(self.path):
            effect.found = True
            if len(items) <= self.keep_newest:
                continue
            times = zoned_times_of(items, self.time_fields)
            old = {position for position, time in enumerate(times) if time is not None and time < now - self.older_than}
            if old:
                remove(document, trail, items, self._going(document, trail, items, times, old, now), effect)
        return effect

    def _going(
        self, document: Document, trail: Trail, items: List, times: Sequence[int | None], old: set[int], now: int
    ) -> Sequence[int]:
        """Of the old items those that may go, oldest first."""
        pins = Pinning(self.path, where=self.keep_where)
        pinned, ranks = pinned_items(pins, items, partial(self._ranks, items, times), now)
        free = sorted((p for p in range(len(items)) if p not in pinned), key=ranks.__getitem__)
        going = [position for position in free[: max(0, len(free) - self.keep_newest)] if position in old]
        if not document.licence.is_conditions(trail):
            return going
        staying = last_of_their_type(types_of(items), set(going), ranks)
        return [position for position in going if position not in staying]

    def _ranks(self, items: List, times: Sequence[int | None], compared: Collection[int]) -> Sequence[Rank]:
        ties = self.order.ranks(items, compared)
        if None in map(times.__getitem__, compared):
            return ties
        return [(time is not None, time or 0, tie) for time, tie in zip(times, ties, strict=True)]
