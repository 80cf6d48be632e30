"""The system's own word that something happened in a directory.

Only ever a hint, since it can be missing: too many watches on the machine, a file system that has none, a directory
that was replaced. Whoever waits here looks by themselves every so often as well.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

STEP: Final = 250
"""Milliseconds in which all that happens is one notice, so that a busy directory wakes nobody more often."""

END_WITHIN: Final = 5.0  # seconds that the end waits for a thread that looks every STEP whether it is over


class Notices:
    """Listens in directories from a thread of its own."""

    def __init__(self, lost: Callable[[Exception], None]) -> None:
        """``lost`` is told in the event loop why there are no notices for now, once for each reason."""
        self._lost = lost
        self._known: set[str] = set()
        self._noticed = asyncio.Event()
        self._directories: frozenset[Path] = frozenset()
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []

    def listen(self, directories: frozenset[Path]) -> None:
        """Listen in these directories from now on, and not in others; again where listening has broken off."""
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        if self._threads and directories == self._directories:
            return
        self._stop.set()
        self._directories, self._stop = directories, threading.Event()
        if not directories:
            return
        arguments = (asyncio.get_running_loop(), directories, self._stop)
        thread = threading.Thread(target=self._listen, args=arguments, name="notices", daemon=True)
        self._threads.append(thread)
        thread.start()

    async def wait(self, seconds: float) -> None:
        """Return at the next notice, or after ``seconds`` without one."""
        # before Python 3.12, wait_for keeps a cancellation to itself that comes together with what it waits for
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._noticed.wait()
        self._noticed.clear()

    def notice(self) -> None:
        """Something happened: whoever waits looks."""
        self._noticed.set()

    def close(self) -> None:
        """Listen no more. Blocks for a moment: a thread that outlives the interpreter would bring it down."""
        self._stop.set()
        for thread in self._threads:
            thread.join(END_WITHIN)

    def _listen(self, loop: asyncio.AbstractEventLoop, directories: frozenset[Path], stop: threading.Event) -> None:
        try:
            from watchfiles import watch

            notices = watch(
                *directories,
                recursive=False,
                watch_filter=None,
                debounce=STEP,
                step=STEP,
                stop_event=stop,
                raise_interrupt=False,
                ignore_permission_denied=False,  # it would keep silent about more than that
            )
            for _ in notices:
                _call(loop, self.notice)
        except Exception as error:  # whatever it is: looking every so often goes on
            _call(loop, self._tell, error)

    def _tell(self, error: Exception) -> None:
        if str(error) not in self._known:
            self._known.add(str(error))
            self._lost(error)


def _call(loop: asyncio.AbstractEventLoop, function: Callable[..., None], *arguments: Exception) -> None:
    with suppress(RuntimeError):  # the loop is over
        loop.call_soon_threadsafe(function, *arguments)
