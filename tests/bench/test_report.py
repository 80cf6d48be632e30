"""The tables show every number whole, whatever they are printed to."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from tests.bench.bodies import bodies
from tests.bench.cores import Cores
from tests.bench.load import Window
from tests.bench.report import Process, Report
from tests.bench.rounds import Case, Plan, Row
from tests.bench.server import Start
from tests.bench.subjects import CONTROLLER_RUNTIME, FLOOR, PLAIN, PRODUCT

BIG = bodies(["big"])[0]


def window(cpu: int) -> Window:
    return Window(13_000, elapsed=1_000_000_000, cpu=cpu, latencies=[1_000_000, 3_000_000])


def report() -> Report:
    costs = {
        FLOOR: 26_000_000_000,
        PLAIN: 130_000_000_000,
        CONTROLLER_RUNTIME: 650_000_000_000,
        PRODUCT: 78_000_000_000,
    }
    row = Row(Case(BIG, 8), {subject.name: [window(cost)] for subject, cost in costs.items()})
    processes = [
        Process(subject, [Start(0.3, 0.2)], 2**20 * 96, 13_000 if subject.trims else None, 13_000) for subject in costs
    ]
    return Report(Plan([BIG], [8], 1, 1.0), Cores(0, 1), "TLSv1.3", [row], processes)


def shown(width: int) -> list[str]:
    stream = io.StringIO()
    report().show(Console(file=stream, width=width))
    return stream.getvalue().splitlines()


NUMBERS = {
    f"{BIG.length:,}",
    "2,000",
    "10,000",
    "50,000",
    "6,000",
    "1.00",
    "5.00",
    "3.00",
    "0.600",
    "0.120",
    "13,000",
    "96",
}


@pytest.mark.parametrize("width", [80, 100, 100_000])
def test_no_number_is_cut_and_no_line_is_too_wide(width: int) -> None:
    lines = shown(width)
    assert set(" ".join(lines).split()) >= NUMBERS
    assert max(map(len, lines)) <= width
    assert [line for line in lines if line != line.rstrip()] == []


@pytest.mark.parametrize(
    ("width", "titles"),
    [
        (80, ["CPU per review", "Answers", "Processes", "Bars"]),
        (130, ["CPU per review", "Processes", "Bars"]),
    ],
)
def test_a_narrow_terminal_gets_two_tables(width: int, titles: list[str]) -> None:
    assert [line for line in shown(width) if line in {"CPU per review", "Answers", "Processes", "Bars"}] == titles


def test_the_cost_is_told_as_a_multiple_of_everybody_who_is_a_yardstick() -> None:
    head, *rows = shown(80)[1:6]
    assert re.split(" {2,}", head)[-4:] == ["CPU µs", "× c-r", "× floor", "× plain"]
    assert [row.split()[-4:] for row in rows] == [
        ["2,000", "0.040", "1.00", "0.200"],
        ["10,000", "0.200", "5.00", "1.00"],
        ["50,000", "1.00", "25.00", "5.00"],
        ["6,000", "0.120", "3.00", "0.600"],
    ]


def test_the_bars_are_told_with_verdicts() -> None:
    lines = shown(80)
    verdicts = [line.split() for line in lines[lines.index("Bars") + 2 :] if line]
    assert [line[-6:] for line in verdicts] == [
        ["trim", "0.12", "0.07", "0.045", "missed", "by", "71%"][-6:],
        ["flight", "96", "100", "met", "by", "4%"],
        ["s", "0.3", "1", "met", "by", "70%"],
    ]
