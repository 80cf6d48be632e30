"""Reading again what changed, and keeping what is in use when something is wrong."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from admission.errors import FileError, StatuscapError
from admission.observe.processlog import ProcessLog
from admission.observe.sink import MemorySink
from admission.serving.fingerprint import Fingerprint
from admission.serving.reload import MISSED, Reload, running
from admission.serving.watch import Pace, Watch
from tests.serving.listening import until

QUICK = Pace(every=0.02, still=0.01)


@dataclass
class Text:
    """A file whose text is right when it begins with "good"; ``meanwhile`` happens to it while it is read."""

    path: Path
    used: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    reads: int = 0
    meanwhile: list[str] = field(default_factory=list)
    fault: Exception | None = None

    def read(self) -> str:
        self.reads += 1
        text = self.path.read_text()
        if self.meanwhile:
            self.path.write_text(self.meanwhile.pop())
        if self.fault is not None:
            raise self.fault
        if not text.startswith("good"):
            raise FileError(str(self.path), text)
        return text

    def use(self, content: str) -> None:
        self.used.append(content)

    def refuse(self, error: StatuscapError) -> None:
        assert isinstance(error, FileError)
        self.refused.append(error.reason)


@pytest.fixture
def text(tmp_path: Path) -> Text:
    (tmp_path / "file").write_text("good old")
    return Text(tmp_path / "file")


@asynccontextmanager
async def reloading(text: Text, retry: float = 3600.0, log: MemorySink | None = None) -> AsyncIterator[None]:
    process = ProcessLog(log or MemorySink(), lambda: 0, lambda: 0)
    watch = Watch(lambda: [text.path], lambda _: None, QUICK)
    async with running([Reload(text, watch, Fingerprint.of([text.path]), process, retry)]):
        yield
    process.close()


async def test_what_is_right_is_used(text: Text) -> None:
    async with reloading(text):
        for new in ("good new", "good newest"):
            text.path.write_text(new)
            await until(lambda new=new: text.used[-1:] == [new])  # type: ignore[misc]
    assert (text.used, text.refused) == (["good new", "good newest"], [])


async def test_what_is_wrong_is_refused_until_it_is_right(text: Text) -> None:
    async with reloading(text):
        text.path.write_text("bad")
        await until(lambda: text.refused)
        text.path.write_text("good again")
        await until(lambda: text.used)
    assert (text.used, text.refused) == (["good again"], ["bad"])


async def test_what_is_wrong_is_tried_again_in_silence(text: Text) -> None:
    async with reloading(text, retry=0.01):
        text.path.write_text("bad")
        await until(lambda: text.reads >= 4)
    assert text.refused == ["bad"]


async def test_what_is_wrong_is_told_again_when_it_was_touched(text: Text) -> None:
    async with reloading(text):
        for number in (1, 2):
            text.path.write_text("bad")
            await until(lambda number=number: len(text.refused) == number)  # type: ignore[misc]


async def test_what_recovers_by_itself_is_used(text: Text) -> None:
    async with reloading(text, retry=0.01):
        text.fault = FileError("f", "Too many open files")
        text.path.write_text("good new")
        await until(lambda: text.refused)
        text.fault = None
        await until(lambda: text.used)
    assert (text.used[0], text.refused) == ("good new", ["Too many open files"])


async def test_what_changes_while_it_is_read_is_read_again(text: Text) -> None:
    text.meanwhile = ["good new"]
    async with reloading(text):
        text.path.write_text("good half")
        await until(lambda: text.used)
    assert (text.used, text.refused, text.reads) == (["good new"], [], 2)


async def test_what_changes_whenever_it_is_read_is_told_once_and_used_at_last(text: Text) -> None:
    text.meanwhile = [f"good {each}" for each in range(2 * MISSED)]
    async with reloading(text):
        text.path.write_text("good half")
        await until(lambda: text.used)
    assert text.refused == ["its files change again and again while they are read"]
    assert (text.used, text.reads) == (["good 0"], 2 * MISSED + 1)


async def test_a_fault_of_ours_is_told_and_not_the_end(text: Text) -> None:
    log = MemorySink()
    text.fault = RuntimeError("x")
    async with reloading(text, retry=0.01, log=log):
        text.path.write_text("good new")
        await until(lambda: text.reads >= 2)
        text.fault = None
        await until(lambda: text.used)
    (line,) = log.lines
    assert b'"cause":"reload","held_back":0,"error":"RuntimeError"' in line


async def test_ends_with_its_block(text: Text) -> None:
    async with reloading(text):
        await asyncio.sleep(0)
    assert len(asyncio.all_tasks()) == 1
