"""The bytes in flight: what is held of reviews that are read or answered, and of answers that are not read yet."""

from __future__ import annotations

from enum import IntEnum
from typing import Protocol


class Claim(IntEnum):
    """How well a holder may go on to hold; the greater, the sooner it lets go."""

    FIRM = 0
    """An answer that is on its way: who dropped it would break a call. It never lets go."""

    LOOSE = 1
    """A body that arrives: without it the call is allowed unevaluated."""

    SPENT = 2
    """An answer that its client has had the time to read, and did not."""


class Holder(Protocol):
    """Holds bytes for as long as its caller takes. ``held`` is set by :class:`InFlight` alone."""

    held: int

    @property
    def claim(self) -> Claim:
        """How well it may go on to hold."""
        ...

    def let_go(self) -> None:
        """Drop what is held. ``held`` is 0 by then, and stays so."""
        ...


class InFlight:
    """Counts bytes, and keeps them within ``most``.

    Above it those let go first that nobody reads, then the largest, not the newest: that frees the most and costs the
    fewest, and callers who hold large bodies back do so at their own cost; of equal ones the one that holds longest.
    A review that is whole is admitted or not; from then on it is counted, and never lets go.
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
        if self.bytes > self.most:
            self._make_room(0)

    def admit(self, size: int) -> bool:
        """Count a whole review of ``size`` bytes, which its caller takes off again; False when there is no room.

        What is larger, or not read, makes room for it.
        """
        if self.bytes + size > self.most:
            self._make_room(size)
            if self.bytes + size > self.most:
                return False
        self.bytes += size
        return True

    def release(self, holder: Holder) -> None:
        """What was held is gone or handed on; harmless when there is nothing."""
        self._holders.pop(holder, None)
        self.bytes -= holder.held
        holder.held = 0

    def _make_room(self, size: int) -> None:
        """Have others let go for ``size`` bytes that are not counted yet."""
        while self.bytes + size > self.most and self._holders:
            first = max(self._holders, key=_sooner)
            if first.claim is Claim.FIRM or (first.claim is Claim.LOOSE and first.held < size):
                return
            self.release(first)
            first.let_go()


def _sooner(holder: Holder) -> tuple[Claim, int]:
    return holder.claim, holder.held
