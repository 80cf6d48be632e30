"""The load: so many connections, each sends its next review when the last one is answered, for so many seconds."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.bench.answers import WrongAnswerError, check
from tests.bench.bodies import Body, Variant, uid
from tests.bench.figures import percentile
from tests.bench.server import Server
from tests.bench.wire import Connection, Reply, connect, tls_1_3
from tests.controlplane.loopback import HOST

WARM_UP = 8  # answers a connection gets before it is measured: its buffers have grown, code paths have run
ANSWER_WITHIN = 60.0  # seconds; a subject that hangs ends the run


@dataclass(frozen=True)
class Window:
    """What was seen while one subject answered one body for a while. Times are nanoseconds."""

    requests: int
    elapsed: int
    cpu: int
    latencies: list[int] = field(repr=False)

    @property
    def cpu_per_review(self) -> float:
        """CPU of the server in microseconds."""
        return self.cpu / self.requests / 1e3

    @property
    def rate(self) -> float:
        """Reviews a second."""
        return self.requests / self.elapsed * 1e9

    def latency(self, share: float) -> float:
        """A percentile of the latency, in milliseconds."""
        return percentile(self.latencies, share) / 1e6


class Verifier:
    """Knows the right answers of one subject to one body; sees every answer."""

    def __init__(self, server: Server, body: Body) -> None:
        self._trims = server.subject.trims
        self._body = body
        self._right: set[bytes] = set()

    def see(self, reply: Reply, number: str) -> None:
        """Check an answer: by itself when it is new, else it is one that was right but for the uid.

        Raises:
            WrongAnswerError: it is not right.
        """
        anonymous = reply.body.replace(number.encode(), b"", 1)
        if reply.status == 200 and len(anonymous) < len(reply.body) and anonymous in self._right:
            return
        check(reply.status, reply.body, number, self._body, trims=self._trims)
        self._right.add(anonymous)

    @property
    def distinct(self) -> int:
        """How many distinct answers there were."""
        return len(self._right)


class Load:
    """Loads one subject with one body; keeps what it learns about right answers from window to window.

    ``asked`` counts every review that was sent, measured or not. ``cipher`` is known once an answer is verified.
    """

    def __init__(self, server: Server, body: Body, numbers: Iterator[int] | None = None) -> None:
        self.server = server
        self.body = body
        self.verifier = Verifier(server, body)
        self.cipher = ""
        self.asked = 0
        self._numbers = numbers or itertools.count(1)
        self._context = tls_1_3(server.ca)

    @property
    def trims(self) -> bool:
        """True when each answer has a patch."""
        return self.server.subject.trims and self.body.variant is Variant.TO_TRIM

    async def verify(self) -> None:
        """Ask once and check the answer by itself. Raises ``WrongAnswerError``."""
        connection = await self._connect()
        try:
            await self._ask(connection)
            self.cipher = connection.cipher
        finally:
            await connection.close()

    async def window(self, connections: int, seconds: float) -> Window:
        """Load for a while. Handshakes and first answers are over before the clocks start, all answers are in before
        they stop: every nanosecond of CPU belongs to a counted review."""
        opened = [await self._connect() for _ in range(connections)]
        try:
            await asyncio.gather(*(self._warm_up(connection) for connection in opened))
            return await self._measured(opened, seconds)
        finally:
            await asyncio.gather(*(connection.close() for connection in opened))

    async def _measured(self, opened: list[Connection], seconds: float) -> Window:
        cpu, began = self.server.cpu_time, time.perf_counter_ns()
        until = began + round(seconds * 1e9)
        latencies = await asyncio.gather(*(self._until(until, connection) for connection in opened))
        elapsed = time.perf_counter_ns() - began
        together = [*itertools.chain.from_iterable(latencies)]
        return Window(len(together), elapsed, self.server.cpu_time - cpu, together)

    async def _until(self, until: int, connection: Connection) -> list[int]:
        latencies = []
        while time.perf_counter_ns() < until:
            latencies.append(await self._ask(connection))
        return latencies

    async def _warm_up(self, connection: Connection) -> None:
        for _ in range(WARM_UP):
            await self._ask(connection)

    async def _ask(self, connection: Connection) -> int:
        number = uid(next(self._numbers))
        self.asked += 1
        review = self.body.review(number)
        sent = time.perf_counter_ns()
        reply = await connection.post(review)
        latency = time.perf_counter_ns() - sent
        try:
            self.verifier.see(reply, number)
        except WrongAnswerError as error:
            raise WrongAnswerError(f"{self.server.subject.name}, {self.body.name}: {error}") from error
        return latency

    async def _connect(self) -> Connection:
        return await connect(HOST, self.server.room.port, self.server.subject.path, self._context)
