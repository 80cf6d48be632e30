"""What was measured of one object: what etcd stored, and what it would have stored of the same writes untrimmed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self


@dataclass(slots=True)
class Tally:
    """Sums over the writes of one controller.

    ``stored`` are the values that etcd held after each write that reached it, ``untrimmed`` those it would have held
    had each been stored as it was sent. A repeat counts for nothing there: where nothing is trimmed, the API server
    drops it by itself. What can be stored only because it was trimmed has nothing to be compared with: those values
    are in ``rescued``. ``reached`` are the repeats that moved the resourceVersion. ``before`` and ``now`` are the
    object's value in etcd: when statuscap came, and after the last write. ``frozen``: when statuscap came, the API
    server had begun to refuse the controller's writes. All sizes are bytes.
    """

    title: str
    writes: int = 0
    untrimmed: int = 0
    stored: int = 0
    rescued: int = 0
    repeats: int = 0
    reached: int = 0
    before: int = 0
    now: int = 0
    frozen: bool = False
    refused: list[str] = field(default_factory=list)

    def count(self, *, size: int, untrimmed: int | None, moved: bool, repeat: bool) -> None:
        """Add one write that was taken.

        ``size`` is what etcd holds after it; ``untrimmed`` is what it would hold had the write been stored as it was
        sent, None when the API server would have refused that.
        """
        self.writes += 1
        self.repeats += repeat
        self.reached += repeat and moved
        self.now = size
        stored = size if moved else 0
        if untrimmed is None:
            self.rescued += stored
        else:
            self.stored += stored
            self.untrimmed += 0 if repeat else untrimmed

    def refuse(self, *, message: str, repeat: bool) -> None:
        """Add one write that the API server refused; none of its bytes count."""
        self.writes += 1
        self.repeats += repeat
        self.refused.append(message)

    @property
    def saved(self) -> float | None:
        """The share of ``untrimmed`` that etcd did not have to store, in percent; None when there was nothing."""
        return 100 * (1 - self.stored / self.untrimmed) if self.untrimmed else None

    @classmethod
    def total(cls, tallies: list[Self]) -> Self:
        """Return the sum of several, ``rescued`` left out: its other side is missing in ``untrimmed``."""
        names = ("writes", "untrimmed", "stored", "repeats", "reached", "before", "now")
        sums = {name: sum(getattr(tally, name) for tally in tallies) for name in names}
        return cls("Total", **sums, refused=[message for tally in tallies for message in tally.refused])
