"""What was measured of one object: bytes that were sent, bytes that etcd stored, writes that never got there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self


@dataclass(slots=True)
class Tally:
    """Sums over the writes of one controller.

    ``sent`` are the bodies of its requests, ``stored`` the values that etcd holds after each write that reached it.
    ``avoided`` are writes of something other than what was stored after which the resourceVersion was the same.
    ``before`` and ``now`` are the object's value in etcd: when statuscap came, and after the last write. ``frozen``:
    when statuscap came, the API server had begun to refuse the controller's writes.
    """

    title: str
    writes: int = 0
    sent: int = 0
    stored: int = 0
    rewrites: int = 0
    avoided: int = 0
    before: int = 0
    now: int = 0
    frozen: bool = False
    refused: list[str] = field(default_factory=list)

    def count(self, *, sent: int, size: int, moved: bool, differs: bool) -> None:
        """Add one write that was answered well; ``size`` is what etcd holds after it."""
        self.writes += 1
        self.sent += sent
        self.stored += size if moved else 0
        self.avoided += differs and not moved
        self.now = size

    def refuse(self, *, sent: int, message: str) -> None:
        """Add one write that the API server refused."""
        self.writes += 1
        self.sent += sent
        self.refused.append(message)

    @property
    def saved(self) -> float | None:
        """The share of what was sent that etcd did not have to store, in percent; None when nothing was sent."""
        return 100 * (1 - self.stored / self.sent) if self.sent else None

    @classmethod
    def total(cls, tallies: list[Self]) -> Self:
        """Return the sum of several."""
        names = ("writes", "sent", "stored", "rewrites", "avoided", "before", "now")
        sums = {name: sum(getattr(tally, name) for tally in tallies) for name in names}
        return cls("Total", **sums, refused=[message for tally in tallies for message in tally.refused])
