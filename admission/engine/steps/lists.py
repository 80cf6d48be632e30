"""Steps for lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from admission.engine.condition import Rank, newest_of_each, types_of
from admission.engine.decision import Reason
from admission.engine.document import Document
from admission.engine.fieldpath import FieldPath
from admission.engine.licence import Licence
from admission.engine.pin import KeepWhere, Pinning
from admission.engine.requirement import all_met
from admission.engine.steps.base import Effect, remove
from admission.engine.steps.order import Order
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
        pins = Pinning(self.path, self.keep_first, self.keep_last, self.keep_where)
        return Licence(shrinking=self.paths, pinning=() if pins == Pinning(self.path) else (pins,))

    def apply(self, document: Document, now: int) -> Effect:
        """Trim every list that the path leads to."""
        effect = Effect()
        for trail, items in document.lists(self.path):
            effect.found = True
            if len(items) <= self.max:
                continue
            pinned, ranks = self._pins(document, trail, items, now)
            if len(pinned) > self.max:
                effect.reason = Reason.CAP_UNREACHABLE
            free = sorted((p for p in range(len(items)) if p not in pinned), key=ranks.__getitem__)
            going = free[: len(items) - max(self.max, len(pinned))]
            remove(document, trail, items, going, effect)
        return effect

    def _pins(self, document: Document, trail: Trail, items: List, now: int) -> tuple[set[int], Sequence[Rank]]:
        pinned = set(range(len(items))[: self.keep_first])
        pinned.update(range(len(items))[max(0, len(items) - self.keep_last) :])
        matching = [
            (pin.newest, [p for p in range(len(items)) if all_met(pin.all, items, p, now)]) for pin in self.keep_where
        ]
        for newest, positions in matching:
            if newest is None:
                pinned.update(positions)
        ranks = self.order.ranks(items, [p for p in range(len(items)) if p not in pinned])
        for newest, positions in matching:
            if newest is not None:
                pinned.update(sorted(positions, key=ranks.__getitem__, reverse=True)[:newest])
        if document.licence.is_conditions(trail):
            types = types_of(items)
            staying = {types[position] for position in pinned if position in types}
            pinned.update(newest_of_each({p: name for p, name in types.items() if name not in staying}, ranks))
        return pinned, ranks
