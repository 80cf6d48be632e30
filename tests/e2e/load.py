"""Writers that keep writing while something happens to the product."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from tests.controlplane.client import Answer, ApiClient
from tests.controlplane.resources import Resource
from tests.controlplane.waiting import eventually
from tests.e2e.objects import SENT, conditions, made
from tests.e2e.verbs import merge_patch

Json = dict[str, Any]


@dataclass(slots=True)
class Load:
    """What became of the writes so far, in the order of the answers: HTTP status, and how many conditions were kept."""

    answers: list[tuple[int, int]] = field(default_factory=list)

    @property
    def failed(self) -> list[tuple[int, int]]:
        """The writes that did not succeed."""
        return [answer for answer in self.answers if answer[0] != 200]

    def kept(self, answer: Answer) -> None:
        """Note one answer."""
        self.answers.append((answer.status, len(answer.body.get("status", {}).get("conditions", []))))

    async def more(self, count: int) -> list[tuple[int, int]]:
        """Return the next ``count`` answers once they are there."""
        start = len(self.answers)

        async def enough() -> bool:
            return len(self.answers) >= start + count

        await eventually(enough, what=f"{count} more answers")
        return self.answers[start : start + count]


@contextlib.asynccontextmanager
async def writing(client: ApiClient, resource: Resource, writers: int) -> AsyncIterator[Load]:
    """Let so many writers write an untrimmed status each, to an object of its own, as fast as they get answers."""
    load, done = Load(), asyncio.Event()
    for writer in range(writers):
        await client.create(resource, made(resource, f"load-{writer}"))

    async def write(writer: int) -> None:
        number = 0
        while not done.is_set():
            number += 1
            status = {"conditions": conditions(SENT, first=number)}
            load.kept(await merge_patch(client, resource, f"load-{writer}", status))

    async with asyncio.TaskGroup() as group:
        for writer in range(writers):
            group.create_task(write(writer))
        try:
            yield load
        finally:
            done.set()
