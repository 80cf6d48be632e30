"""Waits until files change, and until they have stood still: nobody wants what is half written."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from admission.serving.beside import beside
from admission.serving.fingerprint import Fingerprint
from admission.serving.notices import Notices

EVERY: Final = 5.0
"""Seconds between two looks where the system gives no notice: so late is a change seen at the latest."""

STILL: Final = 1.0
"""Seconds without a change after which files count as written."""

RESTLESS: Final = 10.0
"""Seconds after which files that never stand still are read all the same."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How often files are looked at, and how long they have to stand still. Seconds."""

    every: float = EVERY
    still: float = STILL
    restless: float = RESTLESS


PACE: Final = Pace()


class Watch:
    """Watches the files that ``paths`` names, which may be others each time."""

    def __init__(self, paths: Callable[[], Iterable[Path]], lost: Callable[[Exception], None], pace: Pace) -> None:
        """``lost`` is told why the system gives no notices; then changes are seen a little later."""
        self._paths = paths
        self._notices = Notices(lost)
        self._pace = pace

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._notices.close()

    async def look(self) -> Fingerprint:
        """How the files look now. File systems may be slow: it is asked for beside the event loop."""
        return await beside(lambda: Fingerprint.of(self._paths()))

    async def changed(self, seen: Fingerprint, within: float | None = None) -> Fingerprint:
        """Wait until the files look otherwise than ``seen``, at most ``within`` seconds; and until they stand still."""
        clock = asyncio.get_running_loop().time
        end = None if within is None else clock() + within
        while True:
            now = await self.look()
            self._notices.listen(now.directories)
            if now != seen or (end is not None and clock() >= end):
                return await self._stood_still(now)
            await self._notices.wait(self._pace.every)

    async def _stood_still(self, now: Fingerprint) -> Fingerprint:
        clock = asyncio.get_running_loop().time
        end = clock() + self._pace.restless
        while clock() < end:
            await asyncio.sleep(self._pace.still)
            before, now = now, await self.look()
            if now == before:
                break
        return now
