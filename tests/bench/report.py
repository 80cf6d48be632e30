"""The figures as tables for people and as JSON for programs."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table

from tests.bench.cores import Cores
from tests.bench.rounds import Plan, Row
from tests.bench.server import Start
from tests.bench.subjects import Subject


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
        """Print the tables."""
        console.print(_reviews(self.rows), _processes(self.processes))
        if self.cores.shared:
            console.print("[yellow]One core for servers and loader: compare the ratios, forget latencies and rates.[/]")

    def as_json(self) -> bytes:
        """The same as a document."""
        document = {
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "machine": _machine() | {"cores": self.cores._asdict(), "tls": self.cipher},
            "plan": {"rounds": self.plan.rounds, "seconds": self.plan.seconds},
            "subjects": [_process_members(process) for process in self.processes],
            "reviews": [_row_members(row, subject) for row in self.rows for subject in row.windows],
        }
        return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


def _reviews(rows: Sequence[Row]) -> Table:
    table = Table(title="CPU per review", title_justify="left")
    for name in ("review", "bytes", "connections", "subject"):
        table.add_column(name, justify="right" if name in ("bytes", "connections") else "left")
    for name in ("CPU µs", "× floor", "p50 ms", "p99 ms", "reviews/s", "reviews"):
        table.add_column(name, justify="right")
    for row in rows:
        for position, subject in enumerate(row.windows):
            case = (row.case.body.name, f"{row.case.body.length:,}", str(row.case.connections))
            table.add_row(*(case if position == 0 else ("", "", "")), *_cells(row, subject))
        table.add_section()
    return table


def _cells(row: Row, subject: str) -> tuple[str, ...]:
    ratio = row.ratio(subject)
    return (
        subject,
        f"{row.cpu(subject):,.0f}",
        "" if ratio is None else f"{ratio:.2f}",
        f"{row.latency(subject, 0.5):.2f}",
        f"{row.latency(subject, 0.99):.2f}",
        f"{row.rate(subject):,.0f}",
        f"{row.requests(subject):,}",
    )


def _processes(processes: Sequence[Process]) -> Table:
    table = Table(title="Processes", title_justify="left")
    table.add_column("subject")
    for name in ("ready after s", "CPU s until ready", "peak RSS MiB", "decisions logged"):
        table.add_column(name, justify="right")
    for process in processes:
        logged = "" if process.logged is None else f"{process.logged:,} of {process.trimmed:,}"
        started = (f"{process.start.elapsed:.2f}", f"{process.start.cpu:.2f}")
        table.add_row(process.subject.name, *started, f"{process.peak_memory / 2**20:.0f}", logged)
    return table


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
    ratio = row.ratio(subject)
    return {
        "size": row.case.body.size,
        "variant": row.case.body.variant,
        "bytes": row.case.body.length,
        "connections": row.case.connections,
        "subject": subject,
        "cpuMicroseconds": round(row.cpu(subject), 1),
        "cpuMicrosecondsByRound": [round(window.cpu_per_review, 1) for window in row.windows[subject]],
        "timesFloor": None if ratio is None else round(ratio, 3),
        "p50Milliseconds": round(row.latency(subject, 0.5), 3),
        "p99Milliseconds": round(row.latency(subject, 0.99), 3),
        "reviewsPerSecond": round(row.rate(subject), 1),
        "reviews": row.requests(subject),
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
