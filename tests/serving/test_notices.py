"""The system's own word that something happened."""

import asyncio
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from admission.serving.notices import Notices
from tests.serving.listening import until

LONG = 20.0  # seconds: longer than any notice takes


@pytest.fixture
def lost() -> list[Exception]:
    """Why there were no notices."""
    return []


@pytest.fixture
def notices(lost: list[Exception]) -> Iterator[Notices]:
    """Notices that are closed at the end."""
    made = Notices(lost.append)
    yield made
    made.close()


def write(path: Path, text: str) -> None:
    path.write_text(text)


async def noticed(notices: Notices, happens: Path) -> bool:
    """True when something that happens again and again in a directory is noticed before LONG has passed."""
    clock = asyncio.get_running_loop().time
    end = clock() + LONG
    while clock() < end:  # listening begins a moment after it was asked for
        write(happens, str(clock()))
        before = clock()
        await notices.wait(0.5)
        if clock() - before < 0.5:
            return True
    return False


async def test_what_happens_in_a_directory_is_noticed(notices: Notices, tmp_path: Path) -> None:
    notices.listen(frozenset({tmp_path}))
    assert await noticed(notices, tmp_path / "file")


async def test_other_directories_take_their_place(notices: Notices, tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        notices.listen(frozenset({tmp_path / name}))
    assert await noticed(notices, tmp_path / "second" / "file")
    await until(lambda: sum(thread.name == "notices" for thread in threading.enumerate()) == 1)


async def test_the_wait_ends_without_a_notice(notices: Notices, tmp_path: Path) -> None:
    notices.listen(frozenset({tmp_path}))
    await notices.wait(0.01)


@pytest.mark.parametrize("turns", range(6))
async def test_a_wait_that_is_cancelled_ends_even_when_a_notice_comes_at_the_same_time(
    notices: Notices, turns: int
) -> None:
    waiting = asyncio.create_task(notices.wait(LONG))
    for _ in range(3):
        await asyncio.sleep(0)
    notices.notice()
    for _ in range(turns):
        await asyncio.sleep(0)
    came = waiting.done()
    waiting.cancel()
    await asyncio.wait({waiting})
    assert waiting.cancelled() or came, "the cancellation was lost: whoever waits again and again never ends"


async def test_says_once_why_there_are_none(notices: Notices, lost: list[Exception], tmp_path: Path) -> None:
    gone = frozenset({tmp_path / "none"})
    notices.listen(gone)
    await until(lambda: lost)
    for _ in range(2):
        await until(lambda: not any(thread.name == "notices" for thread in threading.enumerate()))
        notices.listen(gone)
    assert [type(error) for error in lost] == [FileNotFoundError]


async def test_does_without_the_library(
    notices: Notices, lost: list[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    notices.listen(frozenset({tmp_path}))
    await until(lambda: lost)
    assert isinstance(lost[0], ImportError)


async def test_leaves_no_thread_behind(notices: Notices, tmp_path: Path) -> None:
    notices.listen(frozenset({tmp_path}))
    notices.close()
    assert not any(thread.name == "notices" for thread in threading.enumerate())
