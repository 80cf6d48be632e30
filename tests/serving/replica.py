"""A server that listens nowhere, and its log."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from admission.engine.policy import PolicySet
from admission.observe.processlog import ProcessLog
from admission.observe.sink import MemorySink
from admission.serving.server import Server
from admission.serving.tls import Secured
from admission.settings import Settings
from admission.settings.flag import Given
from tests.controlplane.waiting import eventually


@dataclass
class Replica:
    """A server that listens nowhere, and its log."""

    server: Server
    log: MemorySink

    def lines(self) -> list[dict[str, Any]]:
        self.server.process.flush()
        return [json.loads(line) for line in self.log.lines]

    async def says(self, message: str, times: int = 1) -> dict[str, Any]:
        """Wait for a line of the log, of which there are so many then."""

        async def look() -> list[dict[str, Any]]:
            found = [line for line in self.lines() if line["message"] == message]
            return found if len(found) >= times else []

        return (await eventually(look, what=f"{times} × {message!r}"))[-1]

    def metric(self, name: str) -> float:
        """The value of a series, given with its labels as the exposition has them."""
        found = re.search(rf"^{re.escape(name)} (\S+)$", self.server.metrics.exposition().decode(), re.MULTILINE)
        assert found is not None, name
        return float(found[1])


@asynccontextmanager
async def replica(settings: dict[str, Given], policies: PolicySet, secured: Secured) -> AsyncIterator[Replica]:
    """A server that is stopped when the block ends."""
    log = MemorySink()
    process = ProcessLog(log, lambda: 0, lambda: 0)
    server = Server(Settings.of(settings, {}), policies, secured, MemorySink(), process)
    try:
        yield Replica(server, log)
    finally:
        await server.stop()
        process.close()
