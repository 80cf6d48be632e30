"""Reads files again when they change: what is right is used, and when something is wrong, what is in use stays."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from functools import partial
from typing import Final, Generic, Protocol, TypeVar

from admission.errors import FileError, StatuscapError
from admission.observe.processlog import ProcessLog
from admission.serving.beside import beside
from admission.serving.fingerprint import Fingerprint
from admission.serving.watch import Watch

RETRY: Final = 60.0
"""Seconds after which what could not be used is tried again though it looks the same: a disk recovers, a certificate
becomes valid."""

MISSED: Final = 3
"""Times in a row that files may change while they are read before that is told: one who writes is done by then."""

Content = TypeVar("Content")


class Reloaded(Protocol[Content]):
    """What files hold, and who uses it."""

    def read(self) -> Content:
        """Read the files, in a thread.

        Raises:
            StatuscapError: something is wrong with them.
        """
        ...

    def use(self, content: Content) -> None:
        """Use it from now on."""
        ...

    def refuse(self, error: StatuscapError) -> None:
        """Say why it cannot be used; what is in use stays."""
        ...


class Reload(Generic[Content]):
    """Keeps one thing that is read from files up to date, for as long as it runs."""

    def __init__(
        self,
        reloaded: Reloaded[Content],
        watch: Watch,
        seen: Fingerprint,
        process: ProcessLog,
        retry: float = RETRY,
    ) -> None:
        """``seen`` is how the files looked before they were read for the first time."""
        self._reloaded = reloaded
        self._watch = watch
        self._seen = seen
        self._process = process
        self._retry = retry
        self._refused: str | None = None
        self._missed = 0

    async def run(self) -> None:
        """Go on until cancelled."""
        with self._watch:
            while True:
                try:
                    self._seen = await self._round(self._seen)
                except Exception as error:  # never known to happen, and never to be the end of reloading
                    self._process.fault("reload", error, consequence="what is in use stays")
                    await asyncio.sleep(self._retry)

    async def _round(self, seen: Fingerprint) -> Fingerprint:
        now = await self._watch.changed(seen, None if self._refused is None else self._retry)
        take = await beside(self._read)
        if await self._watch.look() != now:
            self._miss(now)
            return seen  # it may be half of this and half of that
        self._missed = 0
        take(now != seen)
        return now

    def _miss(self, now: Fingerprint) -> None:
        """They changed while they were read. Who rewrites them without end is told so, once."""
        self._missed += 1
        if self._missed >= MISSED:
            where = ", ".join(sorted(map(str, now.directories)))
            self._refuse(FileError(where, "its files change again and again while they are read"), changed=False)

    def _read(self) -> Callable[[bool], None]:
        """Read them; returns what to do with it, which is told whether they have changed."""
        try:
            content = self._reloaded.read()
        except StatuscapError as error:
            return partial(self._refuse, error)
        return partial(self._use, content)

    def _use(self, content: Content, changed: bool) -> None:
        self._refused = None
        self._reloaded.use(content)

    def _refuse(self, error: StatuscapError, changed: bool) -> None:
        if changed or str(error) != self._refused:  # else it is known
            self._refused = str(error)
            self._reloaded.refuse(error)


class Running(Protocol):
    """What goes on beside the answers."""

    async def run(self) -> None:
        """Go on until cancelled."""
        ...


@asynccontextmanager
async def running(works: Iterable[Running]) -> AsyncIterator[None]:
    """Let them run until the block ends."""
    tasks = [asyncio.create_task(work.run()) for work in works]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
