"""Fights: writers that put back again and again what policies take from them.

To do so now and then is normal. Of a fight somebody should know: writer and policy want different things, and every
round costs a call, if not a write.
"""

from __future__ import annotations

from array import array
from collections import OrderedDict
from enum import Enum
from typing import Final

from admission.engine.instant import HOUR, MINUTE

LIMIT: Final = 30
"""Changed answers for one object in a minute that are still no fight: one every 2 s."""

CAPACITY: Final = 8_192
"""Objects that are remembered: a replica gives some 4,000 answers a second, and a fight is at least one every 2 s, so
that it is hardly forgotten in between. 5 MB, 600 bytes each."""

LINES: Final = 20
"""Fights that are told in a minute: when a policy fights with everybody, the first lines say so."""

TELL_AGAIN_AFTER: Final = HOUR

_LONG_AGO: Final = -HOUR  # on a clock that starts at 0 or later


class Fight(Enum):
    """A minute of a fight: one to count, or one to tell, too."""

    COUNT = "count"
    TELL = "tell"


class Fights:
    """Finds fights among changed answers. Times are nanoseconds of a clock that never jumps.

    What is forgotten is counted too late, or not; it may be told twice.
    """

    def __init__(self, limit: int = LIMIT, capacity: int = CAPACITY, lines: int = LINES) -> None:
        self._limit = limit
        self._capacity = capacity
        self._objects: OrderedDict[str, _Object] = OrderedDict()
        self._told = _Latest(lines)

    def __len__(self) -> int:
        """Objects that are remembered."""
        return len(self._objects)

    def changed(self, name: str, now: int) -> Fight | None:
        """Note a changed answer for an object. A fight is found once a minute, as long as it lasts."""
        known = self._object(name)
        if not known.answers.add(now) or now - known.counted < MINUTE:
            return None
        known.counted = now
        if now - known.told < TELL_AGAIN_AFTER or not self._told.has_room(now):
            return Fight.COUNT
        known.told = now
        self._told.add(now)
        return Fight.TELL

    def _object(self, name: str) -> _Object:
        known = self._objects.get(name)
        if known is not None:
            self._objects.move_to_end(name)
            return known
        if len(self._objects) >= self._capacity:
            self._objects.popitem(last=False)
        known = self._objects[name] = _Object(self._limit)
        return known


class _Object:
    """What is remembered of an object."""

    __slots__ = ("answers", "counted", "told")

    def __init__(self, limit: int) -> None:
        self.answers = _Latest(limit)
        self.counted = self.told = _LONG_AGO


class _Latest:
    """The times of the latest ``limit`` things: one more within a minute is too many."""

    __slots__ = ("_next", "_times")

    def __init__(self, limit: int) -> None:
        self._times = array("q", (_LONG_AGO,)) * limit
        self._next = 0

    def add(self, now: int) -> bool:
        """Note one; true when with it there are more than ``limit`` in a minute."""
        room = self.has_room(now)
        self._times[self._next] = now
        self._next = (self._next + 1) % len(self._times)
        return not room

    def has_room(self, now: int) -> bool:
        """True when one more would not be too many."""
        return now - self._times[self._next] >= MINUTE
