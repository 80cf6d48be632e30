"""The figures as tables for people and as JSON for programs."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import msgspec
from rich.console import Console
from rich.text import Text

from admission.cli.columns import align
from tests.bench.bars import Bar, bars
from tests.bench.cores import Cores
from tests.bench.rounds import Plan, Row
from tests.bench.server import Start
from tests.bench.subjects import CONTROLLER_RUNTIME, FLOOR, PLAIN, PRODUCT, Subject

YARDSTICKS: Final = {"c-r": CONTROLLER_RUNTIME.name, "floor": FLOOR.name, "plain": PLAIN.name, "before": "before"}
"""Whose CPU others are compared with, as far as they are measured, by what columns call them."""


@dataclass(frozen=True)
class Process:
    """What is told about a subject as a whole.

    ``logged`` is the lines of its decision log (None when it has none), ``trimmed`` how many there should be: fewer
    means that lines were dropped, and that the measured reviews were cheaper than they should be.
    """

    subject: Subject
    starts: Sequence[Start]
    peak_memory: int
    logged: int | None = None
    trimmed: int = 0

    @property
    def start(self) -> Start:
        """The quickest start: whatever else runs on the machine can only make one slower."""
        return min(self.starts)


@dataclass(frozen=True)
class Report:
    """Everything that was measured."""

    plan: Plan
    cores: Cores
    cipher: str
    rows: Sequence[Row]
    processes: Sequence[Process]

    def show(self, console: Console) -> None:
        """Print the tables, every number whole: what is too wide for one table becomes two."""
        verdicts = [_bars(self.bars)] if self.bars else []
        for table in (*_reviews(self.rows, console.width), _processes(self.processes), *verdicts):
            for line in table:
                console.print(line, soft_wrap=True)
            console.print()
        if self.cores.shared:
            told = Text("One core for servers and loader: compare the ratios, forget latencies and rates.", "yellow")
            console.print(told, soft_wrap=True)

    @property
    def bars(self) -> list[Bar]:
        """What the product is judged by; empty when it was not measured."""
        for process in self.processes:
            if process.subject.name == PRODUCT.name:
                return bars(self.rows, process.starts, process.peak_memory)
        return []

    def as_json(self) -> bytes:
        """The same as a document."""
        document = {
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "machine": _machine() | {"cores": self.cores._asdict(), "tls": self.cipher},
            "plan": {"rounds": self.plan.rounds, "seconds": self.plan.seconds},
            "subjects": [_process_members(process) for process in self.processes],
            "reviews": [_row_members(row, subject) for row in self.rows for subject in row.windows],
            "bars": [_bar_members(bar) for bar in self.bars],
        }
        return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


def _reviews(rows: Sequence[Row], width: int) -> list[list[Text]]:
    """One table, or two where one would be wider than ``width``."""
    measured = {name for row in rows for name in row.windows}
    costs = ("CPU µs", *(f"× {short}" for short, name in YARDSTICKS.items() if name in measured))
    answers = ("per core", "p50 ms", "p99 ms", "reviews")
    whole = _review_table("CPU per review", rows, (*costs, *answers))
    if max(line.cell_len for line in whole) <= width:
        return [whole]
    return [_review_table("CPU per review", rows, costs), _review_table("Answers", rows, answers)]


def _review_table(title: str, rows: Sequence[Row], columns: Sequence[str]) -> list[Text]:
    cells = [
        (*_case_cells(row, position), subject, *(_CELLS[name](row, subject) for name in columns))
        for row in rows
        for position, subject in enumerate(row.windows)
    ]
    return _table(title, [("review", "conns", "subject", *columns), *cells], left={0, 2})


def _case_cells(row: Row, position: int) -> tuple[str, str]:
    """What stands before the subject: the review on the case's first line, its size on the second."""
    if position == 0:
        return row.case.body.name, str(row.case.connections)
    return (f"{row.case.body.length:,} bytes" if position == 1 else ""), ""


def _ratio_cell(to: str, row: Row, subject: str) -> str:
    ratio = row.ratio(subject, to)
    return "" if ratio is None else f"{ratio:.3f}" if ratio < 1 else f"{ratio:.2f}"


_CELLS: Final[Mapping[str, Callable[[Row, str], str]]] = {
    "CPU µs": lambda row, subject: f"{row.cpu(subject):,.0f}",
    **{f"× {short}": partial(_ratio_cell, name) for short, name in YARDSTICKS.items()},
    "per core": lambda row, subject: f"{row.per_core(subject):,.0f}",
    "p50 ms": lambda row, subject: f"{row.latency(subject, 0.5):.2f}",
    "p99 ms": lambda row, subject: f"{row.latency(subject, 0.99):.2f}",
    "reviews": lambda row, subject: f"{row.requests(subject):,}",
}


def _processes(processes: Sequence[Process]) -> list[Text]:
    cells = [
        (
            process.subject.name,
            f"{process.start.elapsed:.2f}",
            f"{process.start.cpu:.2f}",
            f"{process.peak_memory / 2**20:.0f}",
            "" if process.logged is None else f"{process.logged:,} of {process.trimmed:,}",
        )
        for process in processes
    ]
    head = ("subject", "ready after s", "start CPU s", "peak RSS MiB", "decisions logged")
    return _table("Processes", [head, *cells], left={0})


def _bars(found: Sequence[Bar]) -> list[Text]:
    cells = [
        (bar.what, f"{bar.measured:.3g}", f"{bar.bar:g}", f"{bar.stretch:g}" if bar.stretch else "", bar.verdict)
        for bar in found
    ]
    return _table("Bars", [("statuscap", "measured", "bar", "stretch", "verdict"), *cells], left={0, 4})


def _table(title: str, rows: Sequence[tuple[str, ...]], left: Collection[int]) -> list[Text]:
    """The lines of a table; words begin below each other, numbers end there."""
    right = [at for at in range(len(rows[0])) if at not in left]
    cells = [[Text(cell, "bold" if row is rows[0] else "") for cell in row] for row in rows]
    lines = align(cells, sys.maxsize, 0, 0, right)
    assert lines is not None, "there is room for everything"
    return [Text(title, "italic"), *lines]


def _process_members(process: Process) -> dict[str, Any]:
    return {
        "name": process.subject.name,
        "about": process.subject.about,
        "startSeconds": round(process.start.elapsed, 3),
        "startCpuSeconds": round(process.start.cpu, 3),
        "peakMemoryBytes": process.peak_memory,
        "decisionsLogged": process.logged,
        "reviewsTrimmed": process.trimmed,
    }


def _row_members(row: Row, subject: str) -> dict[str, Any]:
    return {
        "size": row.case.body.size,
        "variant": row.case.body.variant,
        "bytes": row.case.body.length,
        "connections": row.case.connections,
        "subject": subject,
        "cpuMicroseconds": round(row.cpu(subject), 1),
        "cpuMicrosecondsByRound": [round(window.cpu_per_review, 1) for window in row.windows[subject]],
        "times": {
            name: round(ratio, 4) for name in YARDSTICKS.values() if (ratio := row.ratio(subject, name)) is not None
        },
        "reviewsPerCoreSecond": round(row.per_core(subject), 1),
        "p50Milliseconds": round(row.latency(subject, 0.5), 3),
        "p99Milliseconds": round(row.latency(subject, 0.99), 3),
        "reviewsPerSecond": round(row.rate(subject), 1),
        "reviews": row.requests(subject),
    }


def _bar_members(bar: Bar) -> dict[str, Any]:
    return {
        "what": bar.what,
        "measured": round(bar.measured, 4),
        "bar": bar.bar,
        "stretch": bar.stretch,
        "verdict": bar.verdict,
    }


def _machine() -> dict[str, str]:
    return {
        "processor": _processor(),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "aiohttp": version("aiohttp"),
        "uvloop": version("uvloop"),
    }


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()
