"""The decision log: which answers become lines, and how they get to their sink without delaying an answer."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Final

from admission.engine.decision import Decision, Outcome, Reason
from admission.engine.instant import SECOND
from admission.handler import Answer
from admission.observe.archive import Archive
from admission.observe.entry import entry_of, write
from admission.observe.identity import Identity
from admission.observe.sink import Sink
from admission.observe.writer import Writer

CAPACITY: Final = 8_192
"""Lines that may wait for the sink: about 8 MB, and some seconds of a busy cluster."""

SKIPPED_PER_SECOND: Final = 10
"""Lines a second about faults and shed reviews: under overload, when there are many, the log must not add to it."""

_LINGER: Final = 0.05  # seconds that a line waits for company: a write for each would cost more than the line
_WHOLE_CRC: Final = 2**32
_FLUSH_TIMEOUT: Final = 5.0


class DecisionLog:
    """Turns answers into lines and hands them to a :class:`~admission.observe.writer.Writer`.

    ``record`` never waits: when the queue is full, or the sink loses lines, they are dropped and ``on_dropped`` is
    told how many, and ``on_trouble`` what is wrong with the sink (both also from the thread). ``sample`` is the share
    of ``Unchanged`` answers that are logged too; it goes by the uid, so that nothing depends on chance. With an
    ``archive`` lines hold what was removed.
    """

    def __init__(
        self,
        sink: Sink,
        *,
        instance: str = "",
        sample: float = 0.0,
        archive: Archive | None = None,
        capacity: int = CAPACITY,
        on_dropped: Callable[[int], None] = lambda count: None,
        on_trouble: Callable[[str], None] = lambda trouble: None,
    ) -> None:
        self._instance = instance
        self._sample = sample
        self._archive = archive
        self._skips = _PerSecond(SKIPPED_PER_SECOND)
        self._writer = Writer(
            sink,
            name="decision-log",
            capacity=capacity,
            linger=_LINGER,
            on_dropped=on_dropped,
            on_trouble=on_trouble,
        )
        self._on_dropped = on_dropped

    def record(self, answer: Answer, duration: int, identity: Identity | None = None) -> None:
        """Log an answer, if it is one to log. ``duration`` is nanoseconds, ``identity`` the object's if it is known."""
        decision = answer.decision
        if decision is None or not self._wanted(answer, decision):
            return
        if self._writer.full:
            self._on_dropped(1)  # under overload, when there are many, not even their making is paid for
            return
        held_back = self._skips.held_back() if _is_fault(decision) else 0
        entry = entry_of(answer, decision, self._instance, duration, held_back, identity)
        if self._archive is None or not decision.patch or answer.attributes is None:
            self._writer.put(write(entry))
        else:
            self._writer.put(self._archive.line(entry, answer.attributes, decision.patch))

    def flush(self, timeout: float = _FLUSH_TIMEOUT) -> bool:
        """Wait until everything that was recorded is written; False when that took longer than ``timeout`` seconds."""
        return self._writer.flush(timeout)

    def close(self, timeout: float = _FLUSH_TIMEOUT) -> bool:
        """Write what is left and close the sink; False when the sink was too slow and lines are lost."""
        return self._writer.close(timeout)

    def _wanted(self, answer: Answer, decision: Decision) -> bool:
        if _is_unremarkable(decision):  # by far the most, so they come first
            return self._sample > 0 and zlib.crc32(answer.uid.encode()) < self._sample * _WHOLE_CRC
        return self._skips.admits(answer.at) if _is_fault(decision) else True


def _is_unremarkable(decision: Decision) -> bool:
    """True when a write passed as it was and nothing is to be said: what is above a limit that warns is."""
    above = decision.reason is Reason.ABOVE_LIMIT
    return decision.outcome is Outcome.UNCHANGED and not decision.violations and not above


def _is_fault(decision: Decision) -> bool:
    """True when the write passed as it was because of us: a fault, overload, a policy that was left out."""
    return decision.outcome is Outcome.SKIPPED or (decision.outcome is Outcome.UNCHANGED and bool(decision.violations))


class _PerSecond:
    """Admits a number of things in each second of the time that it is told, and counts the others."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._second = -1
        self._count = 0
        self._held_back = 0

    def admits(self, at: int) -> bool:
        second = at // SECOND
        if second != self._second:
            self._second, self._count = second, 0
        self._count += 1
        admitted = self._count <= self._limit
        self._held_back += not admitted
        return admitted

    def held_back(self) -> int:
        """How many were not admitted since this was last asked."""
        count, self._held_back = self._held_back, 0
        return count
