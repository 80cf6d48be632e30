"""Decides which policies are set aside: those that keep failing.

A policy whose result breaks an invariant is left out of that write, and so is everything when the engine itself fails.
That is safe, but it is paid for with several evaluations and a line of the log each time, and such a policy saves
nothing.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from admission.engine.instant import HOUR, MINUTE
from admission.handler import Clock

FAILURES: Final = 5
"""Failures within a minute after which a policy is set aside; one after it has come back."""

WITHIN: Final = MINUTE
ASIDE: Final = 5 * MINUTE
"""How long it is set aside, twice as long each time it fails again as soon as it is back."""

LONGEST: Final = HOUR


@dataclass(slots=True)
class _Standing:
    """How a policy stands. ``until`` is when it comes, or came, back; ``aside`` how long it was gone."""

    failures: deque[int] = field(default_factory=lambda: deque(maxlen=FAILURES))
    aside: int = 0
    until: int | None = None


class Breaker:
    """Remembers failures. Times are nanoseconds of a clock that never jumps."""

    def __init__(self, monotonic: Clock) -> None:
        self._monotonic = monotonic
        self._standings: dict[str, _Standing] = {}
        self._aside: set[str] = set()

    @property
    def aside(self) -> frozenset[str]:
        """The names of the policies that are set aside."""
        return frozenset(self._aside)

    def fail(self, policy: str) -> int | None:
        """Note a failure. Returns for how long the policy is set aside from now on; None when it is not, or was."""
        if policy in self._aside:
            return None  # a review that began before
        now = self._monotonic()
        standing = self._standings.setdefault(policy, _Standing())
        standing.failures.append(now)
        if not self._is_enough(standing, now):
            return None
        again = standing.until is not None and now - standing.until <= standing.aside
        standing.aside = min(2 * standing.aside, LONGEST) if again else ASIDE
        standing.until = now + standing.aside
        standing.failures.clear()
        self._aside.add(policy)
        return standing.aside

    def back(self) -> list[str]:
        """Take those back whose time is over, and name them."""
        now = self._monotonic()
        over = [name for name in sorted(self._aside) if (self._standings[name].until or 0) <= now]
        self._aside.difference_update(over)
        return over

    def left(self) -> int | None:
        """Nanoseconds until the time of the next one is over; None when none is set aside."""
        now = self._monotonic()
        return min((max(0, (self._standings[name].until or 0) - now) for name in self._aside), default=None)

    def forget(self) -> None:
        """Begin anew: the policies are others now."""
        self._standings.clear()
        self._aside.clear()

    def _is_enough(self, standing: _Standing, now: int) -> bool:
        if standing.until is not None and now - standing.until <= WITHIN:
            return True
        return len(standing.failures) == FAILURES and now - standing.failures[0] <= WITHIN
