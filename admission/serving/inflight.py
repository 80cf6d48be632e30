"""The bytes in flight: what is held of reviews that are read or answered, and of answers that are not read yet."""

from __future__ import annotations

from operator import attrgetter
from typing import Final, Protocol


class Holder(Protocol):
    """Holds bytes for as long as its caller takes. ``held`` is set by :class:`InFlight` alone."""

    held: int

    def let_go(self) -> None:
        """Drop what is held. ``held`` is 0 by then, and stays so."""
        ...


_SIZE: Final = attrgetter("held")


class InFlight:
    """Counts bytes, and keeps those that wait for slow callers within ``most``.

    Above it the largest lets go, not the newest: that frees the most and costs the fewest, and callers who hold large
    bodies back do so at their own cost; of equal ones the one that holds longest. Whoever is whole and about to be
    answered is counted, but never lets go.
    """

    __slots__ = ("_holders", "bytes", "most")

    def __init__(self, most: int) -> None:
        self.most = most
        self.bytes = 0
        self._holders: dict[Holder, None] = {}  # in the order in which they began to hold

    def hold(self, holder: Holder, size: int) -> None:
        """Have ``size`` more bytes held. It may be told to let go in here."""
        self._holders.setdefault(holder)
        holder.held += size
        self.bytes += size
        while self.bytes > self.most and self._holders:
            largest = max(self._holders, key=_SIZE)
            self.release(largest)
            largest.let_go()

    def release(self, holder: Holder) -> None:
        """What was held is gone or handed on; harmless when there is nothing."""
        self._holders.pop(holder, None)
        self.bytes -= holder.held
        holder.held = 0
