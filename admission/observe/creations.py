"""Objects that were created a while ago, by their names: they have no uid yet, and a creation may be tried again."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from admission.engine.attributes import Attributes
from admission.engine.instant import HOUR
from admission.observe.identity import name_of

CAPACITY: Final = 4_096
"""Names that are remembered: more than one a second within :data:`FORGOTTEN_AFTER`, in less than 1 MB."""

FORGOTTEN_AFTER: Final = HOUR
"""After so long without a call, an object of the same name is another one; before, the same one is tried again."""


class Creations:
    """Tells a new object from one whose creation is tried again; in doubt it is not new."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._tried: OrderedDict[str, int] = OrderedDict()
        self._capacity = capacity

    def is_new(self, attributes: Attributes, now: int) -> bool:
        """Note a creation. ``now`` is nanoseconds of a clock that never jumps."""
        name = name_of(attributes)
        if not name:
            return True  # the API server makes one, for every call another
        self._forget(now)
        known = self._tried.pop(name, None) is not None
        if not known and len(self._tried) >= self._capacity:
            return False  # one of those that are not remembered may be this one
        self._tried[name] = now
        return not known

    def _forget(self, now: int) -> None:
        while self._tried and now - next(iter(self._tried.values())) >= FORGOTTEN_AFTER:
            self._tried.popitem(last=False)
