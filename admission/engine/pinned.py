"""The check of pins: what a step pins is still there.

Judged by the bytes as they were sent. Where an item was edited, nobody knows how the step found it: it counts as pinned
when it met the requirements before and after.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from admission.engine.edit import Edit
from admission.engine.licence import Licence
from admission.engine.pin import KeepWhere, Pinning
from admission.engine.places import leads_to
from admission.engine.values import List, Object, Trail, Value


class Pinned:
    """What the steps of some policies pin. ``now`` is nanoseconds since the epoch."""

    def __init__(self, licences: Iterable[Licence], now: int) -> None:
        of_all = tuple(licences)
        self._licences = [licence for licence in of_all if licence.shrinking or licence.fitting]
        self._evicting = [licence for licence in of_all if licence.evicting]
        self._any = any(licence.pinning for licence in self._licences)
        self._now = now

    def lost(self, before: List, kept: Sequence[int], edit: Edit, trail: Trail) -> bool:
        """True when a pinned item left the list at ``trail``; ``kept`` are the positions of those that did not.

        A list from which another step without pins may remove has none.
        """
        if not self._any:
            return False
        found = [pins for licence in self._licences for pins in licence.pinning if leads_to(pins.path, trail)]
        if not found or len(found) < self._shrinking(trail):
            return False
        staying = set(kept)
        gone = [position for position in range(len(before)) if position not in staying]
        if any(all(self._is_pinned(pins, before, position, edit) for pins in found) for position in gone):
            return True
        return len(found) == 1 and any(self._too_few(pin, before, staying, edit) for pin in found[0].where)

    def may_evict(self, names: Collection[str], sent: Object, edit: Edit, trail: Trail) -> bool:
        """True when entries of the map at ``trail`` may have left it: judged as they were when they went."""
        rules = [(licence, one) for licence in self._evicting for one in licence.evictions(trail)]
        for name in names:
            entry = edit.gone.get(name, sent[name]) if name in edit.children else sent[name]
            if not any(one.takes(entry, self._now) and not lic.spares((*trail, name), entry) for lic, one in rules):
                return False
        return True

    def _shrinking(self, trail: Trail) -> int:
        shrinking = sum(leads_to(path, trail) for licence in self._licences for path in licence.shrinking)
        return shrinking + any(licence.fits(trail) for licence in self._licences)

    def _is_pinned(self, pins: Pinning, before: List, position: int, edit: Edit) -> bool:
        if pins.by_position(position, len(before)):
            return True
        return all(pins.holds(item, self._now) for item in _forms(before, position, edit))

    def _too_few(self, pin: KeepWhere, before: List, staying: set[int], edit: Edit) -> bool:
        """True when less of the items that meet a pin stayed than it keeps; which, the order alone would tell."""
        if pin.newest is None:
            return False
        meeting = {position for position, item in enumerate(before) if pin.holds(item, self._now)}
        stayed = len(meeting & staying) + sum(position in edit.children for position in staying - meeting)
        sure = len(meeting & staying) + sum(
            all(pin.holds(item, self._now) for item in _forms(before, position, edit)) for position in meeting - staying
        )
        return stayed < min(pin.newest, sure)


def _forms(before: List, position: int, edit: Edit) -> list[Value]:
    """An item that is gone: as it was sent and, when something happened in it before it went, as it went."""
    sent = before[position]
    return [sent, edit.gone.get(position, sent)] if position in edit.children else [sent]
