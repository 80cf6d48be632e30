"""Pins: what makes an item of a list stay."""

from __future__ import annotations

from dataclasses import dataclass

from admission.engine.fieldpath import FieldPath
from admission.engine.requirement import Requirement, all_met
from admission.engine.values import Value


@dataclass(frozen=True, slots=True)
class KeepWhere:
    """A pin: items that meet all requirements stay, only the newest ``newest`` of them when that is given."""

    all: tuple[Requirement, ...]
    newest: int | None = None

    def holds(self, item: Value, now: int) -> bool:
        """True when an item meets the requirements; it is left as it is."""
        return all_met(self.all, [item], 0, now)


@dataclass(frozen=True, slots=True)
class Pinning:
    """All pins of one step: the first and the last so many items of the list, and those that requirements pin."""

    path: FieldPath
    first: int = 0
    last: int = 0
    where: tuple[KeepWhere, ...] = ()

    def by_position(self, position: int, items: int) -> bool:
        """True for an item that is pinned by where it stands among so many."""
        return position < self.first or position >= items - self.last

    def holds(self, item: Value, now: int) -> bool:
        """True for an item that requirements pin, however many meet them."""
        return any(pin.newest is None and pin.holds(item, now) for pin in self.where)
