"""The order of measuring: round after round, all subjects one after the other, so that noise meets them alike."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from tests.bench.bodies import Body
from tests.bench.figures import ratio
from tests.bench.load import ANSWER_WITHIN, Load, Window
from tests.bench.server import Server


@dataclass(frozen=True)
class Plan:
    """How much is measured: ``rounds`` windows of ``seconds`` for each subject, body and number of connections."""

    bodies: Sequence[Body]
    connections: Sequence[int]
    rounds: int
    seconds: float


@dataclass(frozen=True)
class Case:
    """What is asked of every subject: a body over so many connections."""

    body: Body
    connections: int


@dataclass(frozen=True)
class Row:
    """The windows of all subjects for one case, one a round; by the subject's name."""

    case: Case
    windows: Mapping[str, list[Window]] = field(default_factory=dict)

    def cpu(self, subject: str) -> float:
        """Median CPU a review, in microseconds."""
        return median(window.cpu_per_review for window in self.windows[subject])

    def latency(self, subject: str, share: float) -> float:
        """Median over the rounds of a percentile of the latency, in milliseconds."""
        return median(window.latency(share) for window in self.windows[subject])

    def per_core(self, subject: str) -> float:
        """Reviews that a core answers in a second when it does nothing else."""
        return 1e6 / self.cpu(subject)

    def rate(self, subject: str) -> float:
        """Median reviews a second."""
        return median(window.rate for window in self.windows[subject])

    def requests(self, subject: str) -> int:
        """Reviews in all rounds."""
        return sum(window.requests for window in self.windows[subject])

    def ratio(self, subject: str, to: str) -> float | None:
        """CPU a review as a multiple of another subject's; None when one of them was not measured."""
        if not {subject, to} <= self.windows.keys():
            return None
        return ratio(*([window.cpu_per_review for window in self.windows[name]] for name in (subject, to)))


@dataclass(frozen=True)
class Measured:
    """All rows, and the loads that they come from."""

    rows: Sequence[Row]
    loads: Sequence[Load]

    @property
    def cipher(self) -> str:
        """What client and servers agreed on, mostly one: ``TLSv1.3 TLS_AES_256_GCM_SHA384``."""
        return ", ".join(sorted({load.cipher for load in self.loads}))

    def trimmed(self, subject: str) -> int:
        """How many answers of a subject had a patch, warming up included; each is a line of the decision log."""
        return sum(load.asked for load in self.loads if load.server.subject.name == subject and load.trims)


async def measure(servers: Sequence[Server], plan: Plan, progress: Callable[[str], None]) -> Measured:
    """Check every subject's answer to every body, then measure.

    Raises:
        WrongAnswerError: an answer is not right.
    """
    numbers = itertools.count(1)
    loads = {
        (server.subject.name, body): Load(server, body, numbers)
        for server in servers
        for body in plan.bodies
        if body.size in server.subject.sizes
    }
    for load in loads.values():
        async with asyncio.timeout(ANSWER_WITHIN):
            await load.verify()
    cases = [Case(body, connections) for body in plan.bodies for connections in plan.connections]
    rows = [Row(case, {name: [] for name, body in loads if body is case.body}) for case in cases]
    for number in range(plan.rounds):
        # A B, then B A: who comes second finds warmer caches, or a processor that has slowed down.
        order = servers if number % 2 == 0 else servers[::-1]
        for row in rows:
            for name in (server.subject.name for server in order if server.subject.name in row.windows):
                progress(f"round {number + 1}: {row.case.body.name}, {row.case.connections} connections, {name}")
                async with asyncio.timeout(plan.seconds + ANSWER_WITHIN):
                    window = await loads[name, row.case.body].window(row.case.connections, plan.seconds)
                row.windows[name].append(window)
    return Measured(rows, [*loads.values()])
