"""A clock that a test turns."""

from __future__ import annotations

from typing import Final

SECOND: Final = 1_000_000_000


class Clock:
    """Tells nanoseconds; ``now`` moves only when a test moves it."""

    def __init__(self) -> None:
        self.now = 1 * SECOND

    def __call__(self) -> int:
        return self.now
