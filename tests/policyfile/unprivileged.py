"""Doing something without root's right to read everything, for tests that run as root."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Done = TypeVar("Done")

NOBODY = 65534


def unprivileged(work: Callable[[], Done]) -> Done:
    """What ``work`` returns when a user runs it; on Linux files are opened by the rights of the thread."""
    if os.geteuid() != 0:
        return work()

    def drop() -> None:
        ctypes.CDLL(None).setfsuid(NOBODY)

    with ThreadPoolExecutor(1, initializer=drop) as thread:
        return thread.submit(work).result()
