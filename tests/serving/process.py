"""The server as a process of its own, without the command line's parser."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import aiohttp

from admission.serving.tls import Pair
from admission.settings.flag import Given
from tests.controlplane.loopback import ask
from tests.controlplane.waiting import eventually
from tests.review_sample import review
from tests.serving.listening import HOST, trusting

POLICY: Final = """\
apiVersion: statuscap.dev/v1alpha1
kind: StatusPolicy
metadata: {name: volcano-job-conditions}
spec:
  mode: DryRun
  match:
    resources: [{apiGroups: [batch.volcano.sh], resources: [jobs/status]}]
  trim:
    - truncate: {paths: ["status.conditions[*].message"], maxBytes: 40, marker: "…"}
"""
BROKEN: Final = POLICY.replace("maxBytes: 40", "maxBytes: none") + "---\n" + POLICY.replace("mode:", "mood:")

# The command as a process of its own, without the command line's parser
PROGRAM: Final = """\
import json, sys
from admission.observe.sink import MemorySink
from admission.serving.runner import run
from admission.settings import Settings
sys.exit(run(Settings.of(json.loads(sys.argv[1]), {})))
"""


def given(directory: Path, pair: Pair, **changes: Given) -> dict[str, Given]:
    """Settings for a server on free ports of loopback."""
    policy = directory / "policy.yaml"
    if not policy.exists():
        policy.write_text(POLICY)
    settings: dict[str, Given] = {
        "policies": [str(policy)],
        "dev": True,
        "port": "0",
        "probe_port": "0",
        "cert_dir": str(pair.certificate.parent),
        "decision_log": str(directory / "decisions.log"),
        "drain": "0s",
        "instance": "replica-1",
    }
    return settings | changes


@dataclass
class Process:
    """A server as a process of its own."""

    process: asyncio.subprocess.Process
    pair: Pair
    lines: list[dict[str, Any]] = field(default_factory=list)

    async def line(self) -> dict[str, Any]:
        """The next line of its process log."""
        assert self.process.stderr is not None
        line: dict[str, Any] = json.loads(await asyncio.wait_for(self.process.stderr.readline(), 20))
        self.lines.append(line)
        return line

    @asynccontextmanager
    async def session(self) -> AsyncIterator[aiohttp.ClientSession]:
        """A client that trusts it."""
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=trusting(self.pair))) as session:
            yield session

    async def end(self) -> int:
        """Its exit code."""
        return await asyncio.wait_for(self.process.wait(), 20)


@asynccontextmanager
async def process(pair: Pair, settings: dict[str, Given], program: str = PROGRAM) -> AsyncIterator[Process]:
    """Start a server; it is killed at the end if it still lives."""
    started = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        program,
        json.dumps(settings),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield Process(started, pair)
    finally:
        if started.returncode is None:
            started.kill()
        await started.communicate()


async def post(session: aiohttp.ClientSession, url: str, body: bytes) -> tuple[aiohttp.ClientResponse, dict[str, Any]]:
    async with session.post(url, data=body, headers={"Content-Type": "application/json"}) as response:
        return response, json.loads(await response.read())


@contextmanager
def taken_port() -> Iterator[int]:
    with socket.create_server((HOST, 0)) as taken:
        yield taken.getsockname()[1]


def free_port() -> str:
    with taken_port() as port:
        return str(port)


async def until_ready(probe_port: Given) -> None:
    async def look() -> int:
        return (await asyncio.to_thread(ask, f"http://{HOST}:{probe_port}", "/readyz")).status == 200

    await eventually(look, what="readiness")


async def answers(pair: Pair, port: Given) -> bool:
    """True when the server at ``port`` answers a review."""
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=trusting(pair))) as session:
        response, _ = await post(session, f"https://{HOST}:{port}/mutate", review())
        return response.status == 200
