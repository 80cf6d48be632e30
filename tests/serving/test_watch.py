"""Waiting for files to change and to stand still."""

import asyncio
import sys
from pathlib import Path

import pytest

from admission.serving.fingerprint import Fingerprint
from admission.serving.watch import Pace, Watch

NEVER = 3600.0  # seconds


def watch(path: Path, pace: Pace) -> Watch:
    return Watch(lambda: [path], lambda _: None, pace)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "p.yaml"
    path.write_text("a: 1")
    return path


def write(path: Path, text: str) -> None:
    path.write_text(text)


async def test_a_change_before_the_first_look_is_seen(file: Path) -> None:
    with watch(file, Pace(every=NEVER, still=0.0)) as watching:
        seen = await watching.look()
        write(file, "a: 2")
        assert await watching.changed(seen) == Fingerprint.of([file])


async def test_a_change_is_seen_by_notice(file: Path) -> None:
    with watch(file, Pace(every=NEVER, still=0.0)) as watching:
        changed = asyncio.create_task(watching.changed(await watching.look()))
        number = 0
        while not changed.done():  # listening begins a moment later
            number += 1
            write(file, f"a: {number}")
            await asyncio.wait([changed], timeout=0.5)
        await changed


async def test_a_change_is_seen_without_notices(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    with watch(file, Pace(every=0.01, still=0.0)) as watching:
        seen = await watching.look()
        changed = asyncio.create_task(watching.changed(seen))
        await asyncio.wait([changed], timeout=0.1)
        assert not changed.done()
        write(file, "a: 2")
        assert await changed != seen


async def test_what_is_still_being_written_is_waited_for(file: Path) -> None:
    with watch(file, Pace(every=NEVER, still=0.2, restless=NEVER)) as watching:
        seen = await watching.look()
        write(file, "a:")
        changed = asyncio.create_task(watching.changed(seen))
        for number in range(5):
            write(file, f"a: {'x' * number}")
            await asyncio.wait([changed], timeout=0.1)
        write(file, "a: done")
        now = await changed
    assert now == Fingerprint.of([file])


async def test_what_never_stands_still_is_read_at_last(file: Path) -> None:
    with watch(file, Pace(every=NEVER, still=0.01, restless=0.1)) as watching:
        seen = await watching.look()
        changed = asyncio.create_task(watching.changed(seen))
        number = 0
        while not changed.done():
            number += 1
            write(file, f"a: {number}")
            await asyncio.sleep(0)
        await changed


async def test_the_wait_has_an_end_when_it_is_given_one(file: Path) -> None:
    with watch(file, Pace(every=0.01, still=0.0)) as watching:
        seen = await watching.look()
        assert await watching.changed(seen, within=0.05) == seen
