"""Work that blocks, beside the event loop, and that nobody waits for at the end."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar

Result = TypeVar("Result")


async def beside(work: Callable[[], Result]) -> Result:
    """What ``work`` returns or raises, from a thread of its own.

    Who is cancelled no longer waits for it, and neither does the end of the process: it would for the threads of
    ``asyncio.to_thread``, for as long as thousands of files or a file system that hangs may take.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Result] = loop.create_future()

    def run() -> None:
        try:
            tell = partial(done.set_result, work())
        except BaseException as error:  # whoever waits is to see it
            tell = partial(done.set_exception, error)
        with suppress(RuntimeError):  # the loop is over
            loop.call_soon_threadsafe(_unless_cancelled, done, tell)

    threading.Thread(target=run, name="beside", daemon=True).start()
    return await done


def _unless_cancelled(done: asyncio.Future[Result], tell: Callable[[], None]) -> None:
    if not done.cancelled():
        tell()
