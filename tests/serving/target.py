"""A server in a process of its own that is called as bytes over TLS, and asked whether it still answers well."""

from __future__ import annotations

import asyncio
import base64
import json
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import jsonpatch

from tests.controlplane.loopback import HOST, ask
from tests.controlplane.metrics import samples
from tests.controlplane.waiting import eventually
from tests.e2e.product import Statuscap
from tests.review_sample import UID, custom_resource, review
from tests.serving.calls import framed

LONGEST: Final = 40
POLICY: Final[dict[str, Any]] = {
    "apiVersion": "statuscap.dev/v1alpha1",
    "kind": "StatusPolicy",
    "metadata": {"name": "volcano-job-conditions"},
    "spec": {
        "mode": "Enforce",
        "match": {"resources": [{"apiGroups": ["batch.volcano.sh"], "resources": ["jobs/status"]}]},
        "trim": [
            {"truncate": {"paths": ["status.conditions[*].message"], "maxBytes": LONGEST, "marker": "…"}},
            {"truncate": {"paths": ["status.output"], "maxBytes": "500k", "marker": "…"}},
        ],
    },
}
PATIENCE: Final = 60.0  # seconds for anything, on a busy machine

Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as it came; names of headers are in lower case."""

    status: int
    headers: dict[bytes, bytes]
    body: bytes


async def reply(reader: asyncio.StreamReader) -> Reply:
    """The next answer; raises ``IncompleteReadError`` when the connection ends before it, ``ValueError`` when it is
    none."""
    head = await reader.readuntil(b"\r\n\r\n")
    line, *lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    version, _, rest = line.partition(b" ")
    if version not in (b"HTTP/1.1", b"HTTP/1.0", b"HTTP/0.9"):  # the last for who said no version
        raise ValueError(f"no status line: {line!r}")
    headers = {name.lower(): value.strip() for name, _, value in (each.partition(b":") for each in lines)}
    body = await reader.readexactly(int(headers.get(b"content-length", b"0")))
    return Reply(int(rest[:3]), headers, body)


def well_answered(answer: Reply, uid: str = UID) -> None:
    """Assert that a review of :func:`custom_resource` got the patch that the policy asks for."""
    assert answer.status == 200, answer
    response = json.loads(answer.body)["response"]
    assert (response["uid"], response["allowed"]) == (uid, True)
    assert "patch" in response, "it was not evaluated"
    patched = jsonpatch.apply_patch(custom_resource(4), json.loads(base64.b64decode(response["patch"])))
    conditions = patched["status"]["conditions"]
    assert [len(each["message"].encode()) <= LONGEST for each in conditions] == [True] * 4


class Target:
    """A server that is to hold, and its clients' side."""

    def __init__(self, server: Statuscap) -> None:
        self.server = server
        self.port = int(server.url.rpartition(":")[2])
        self.context = ssl.create_default_context(cafile=server.ca_path)

    @asynccontextmanager
    async def connection(self, *, receive: int = 0, tls: bool = True, port: int = 0) -> AsyncIterator[Stream]:
        """A connection of one's own, to ``port`` or that for reviews; it is broken off at the end.

        ``receive`` is the size of the system's buffer.
        """
        own = socket.socket()
        own.setblocking(False)
        if receive:
            own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
        await asyncio.get_running_loop().sock_connect(own, (HOST, port or self.port))
        options: dict[str, Any] = {"ssl": self.context, "server_hostname": HOST} if tls else {}
        reader, writer = await asyncio.open_connection(sock=own, limit=1 << 26, **options)
        try:
            yield reader, writer
        finally:
            writer.transport.abort()

    @asynccontextmanager
    async def connections(self, number: int, **options: Any) -> AsyncIterator[list[Stream]]:
        """Many of them."""
        async with AsyncExitStack() as stack:
            streams: list[Stream] = []
            for _ in range(0, number, 50):  # more would wait longer for each other than a handshake may take
                few = min(50, number - len(streams))
                opening = [stack.enter_async_context(self.connection(**options)) for _ in range(few)]
                streams += await asyncio.gather(*opening)
            yield streams

    async def exchange(self, *pieces: bytes) -> Reply | None:
        """The answer to some bytes on a new connection; None when there is none."""
        async with asyncio.timeout(PATIENCE), self.connection() as (reader, writer):
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                for piece in pieces:
                    writer.write(piece)
                    await writer.drain()
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                return await reply(reader)
            return None

    async def is_well(self) -> None:
        """Assert that a good review is answered well."""
        answer = await self.exchange(framed(review()))
        assert answer is not None
        well_answered(answer)

    async def rests(self) -> None:
        """Wait until nothing is in flight."""

        async def look() -> bool:
            return await self.metric("statuscap_in_flight_bytes") == 0

        await eventually(look, within=PATIENCE, what="the end of what is in flight")

    async def metric(self, name: str, **labels: str) -> float:
        """The sum of a metric's samples that have these labels."""
        page = await asyncio.to_thread(ask, self.server.probe_url, "/metrics")
        found = samples(page.body.decode(), name)
        return sum(each.value for each in found if labels.items() <= each.labels.items())

    def forget_peak(self) -> None:
        """Let the peak of memory count from now on."""
        Path(f"/proc/{self.server.pid}/clear_refs").write_text("5")
