"""Work beside the event loop."""

import asyncio
import subprocess
import sys
import threading

import pytest

from admission.serving.beside import beside

BLOCKED = """\
import asyncio, threading
from admission.serving.beside import beside

async def main():
    begun = threading.Event()
    working = asyncio.create_task(beside(lambda: begun.set() or threading.Event().wait()))
    while not begun.is_set():
        await asyncio.sleep(0)
    working.cancel()
    await asyncio.wait({working})

asyncio.run(main())
"""


async def test_returns_what_the_work_returns_from_another_thread() -> None:
    assert await beside(threading.get_ident) != threading.get_ident()


async def test_raises_what_the_work_raises() -> None:
    with pytest.raises(FileNotFoundError):
        await beside(lambda: open("/none/such"))  # noqa: PTH123, SIM115


async def test_the_loop_turns_meanwhile() -> None:
    come = threading.Event()
    working = asyncio.create_task(beside(lambda: come.wait(20)))
    await asyncio.sleep(0)
    come.set()
    assert await working


async def test_whoever_is_cancelled_does_not_wait_and_what_comes_later_harms_nobody() -> None:
    come, gone = threading.Event(), threading.Event()

    def work() -> None:
        come.wait(20)
        gone.set()

    working = asyncio.create_task(beside(work))
    await asyncio.sleep(0)
    working.cancel()
    await asyncio.wait({working})
    assert working.cancelled()
    assert not gone.is_set()
    come.set()
    await asyncio.to_thread(gone.wait, 20)
    await beside(lambda: None)  # a turn of the loop in which the late result would arrive


def test_the_process_ends_while_the_work_goes_on() -> None:
    ended = subprocess.run([sys.executable, "-c", BLOCKED], timeout=60, capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")
