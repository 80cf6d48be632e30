"""Await a condition by looking again and again: what tests use in place of a sleep."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

LOOK_EVERY = 0.05  # seconds between two looks

Found = TypeVar("Found")


async def eventually(look: Callable[[], Awaitable[Found]], *, within: float = 30.0, what: str) -> Found:
    """Return the first truthy result of ``look``; raise ``TimeoutError`` naming ``what`` after ``within`` seconds.

    The error shows the last result, so make ``look`` return something telling.
    """
    deadline = time.monotonic() + within
    while not (found := await look()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} did not come true within {within:.0f} s (last seen: {found!r})")
        await asyncio.sleep(LOOK_EVERY)
    return found
