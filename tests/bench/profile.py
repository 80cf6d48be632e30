"""``python -m tests.bench.profile``: where the time of one review goes, in process, without sockets and TLS."""

from __future__ import annotations

import cProfile
import os
import pstats
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Annotated, Final

import typer
from rich.table import Table

from admission.engine.evaluate import evaluate
from admission.handler import Answer
from admission.review.answer import encode_answer
from admission.review.request import decode
from tests.bench import instructions, screen
from tests.bench.answers import check
from tests.bench.bodies import SIZE_NAMES, Body, bodies, uid
from tests.bench.product import NOW, handler, observer

BATCHES: Final = 9
"""Batches of which the median is told: a neighbour spoils some of them, not most."""

ROOT: Final = Path(__file__).parents[2]
CONSOLE: Final = screen.stdout()
app = typer.Typer(add_completion=False)


@dataclass(frozen=True)
class Stages:
    """Microseconds of one review, by stage.

    ``mutate`` is ``Handler.mutate``: the three before it and some glue. ``observe`` is metrics and decision log, which
    come after the answer; the thread that writes the log is counted, the file is not.
    """

    decode: float
    evaluate: float
    encode: float
    mutate: float
    observe: float


@dataclass(frozen=True)
class Line:
    """One function in the profile of a review: calls, and microseconds in itself and with all that it calls.

    The profiler makes calls dearer than they are: compare lines, not with a clock.
    """

    function: str
    calls: float
    own: float
    total: float


@app.command()
def profile(
    sizes: Annotated[str, typer.Option("--bodies", help="Sizes of reviews.")] = ",".join(SIZE_NAMES),
    reviews: Annotated[int, typer.Option(min=1, help="Reviews in a batch.")] = 200,
    top: Annotated[int, typer.Option(min=0, help="Functions that are listed.")] = 15,
    count: Annotated[
        bool, typer.Option("--instructions", help="Count processor instructions too, if valgrind is installed.")
    ] = False,
) -> None:
    """Tell where the time of a review goes: µs a stage, then functions by their own time."""
    chosen = bodies(sizes.split(","))
    if count and not instructions.available():
        CONSOLE.print("[yellow]valgrind is not installed: no instructions are counted.[/]")
        count = False
    CONSOLE.print(_stage_table(chosen, reviews, count=count))
    for body in chosen:
        CONSOLE.print(_function_table(body, lines(body, reviews, top)))


def stages(body: Body, reviews: int) -> Stages:
    """Time each stage by itself. Raises ``WrongAnswerError`` when the work is not done right."""
    used, review = handler(), body.review(uid(1))
    answer = used.mutate(review)
    check(answer.status, answer.body, uid(1), body, trims=True)
    attributes, decision = answer.attributes, answer.decision
    assert attributes is not None
    assert decision is not None
    return Stages(
        decode=_time(lambda: decode(review), reviews),
        evaluate=_time(lambda: evaluate(used.policies, attributes, NOW), reviews),
        encode=_time(lambda: encode_answer(attributes.uid, decision), reviews),
        mutate=_time(lambda: used.mutate(review), reviews),
        observe=_observing(answer, reviews),
    )


def _observing(answer: Answer, reviews: int) -> float:
    with observer(answer.policies) as watching:
        return _time(lambda: watching.observe(answer, 1_000_000), reviews)


def _time(call: Callable[[], object], times: int) -> float:
    batches = []
    for _ in range(BATCHES):
        began = time.process_time_ns()
        for _ in range(times):
            call()
        batches.append((time.process_time_ns() - began) / times / 1e3)
    return median(batches)


def lines(body: Body, reviews: int, top: int) -> list[Line]:
    """The dearest functions by their own time."""
    used, review = handler(), body.review(uid(1))
    used.mutate(review)
    profiler = cProfile.Profile()
    profiler.enable()
    for _ in range(reviews):
        used.mutate(review)
    profiler.disable()
    profiler.create_stats()
    found = [
        Line(_name(function), calls / reviews, own / reviews * 1e6, total / reviews * 1e6)
        for function, (_, calls, own, total, _) in pstats.Stats(profiler).stats.items()  # type: ignore[attr-defined]
    ]
    return sorted(found, key=lambda line: -line.own)[:top]


def _name(function: tuple[str, int, str]) -> str:
    file, line, name = function
    if file == "~":
        return name
    place = os.path.relpath(file, ROOT) if file.startswith(str(ROOT)) else Path(file).name
    return f"{place}:{line} {name}"


def _stage_table(chosen: tuple[Body, ...], reviews: int, *, count: bool) -> Table:
    table = Table(title="µs of one review in process (CPU)", title_justify="left")
    table.add_column("review")
    for name in ("bytes", "decode", "evaluate", "encode", "mutate", "observe", *(["instructions"] if count else [])):
        table.add_column(name, justify="right")
    for body in chosen:
        found = stages(body, _scaled(reviews, body))
        times = [f"{value:,.1f}" for value in (found.decode, found.evaluate, found.encode, found.mutate, found.observe)]
        counted = [f"{instructions.per_review(body):,}"] if count else []
        table.add_row(body.name, f"{body.length:,}", *times, *counted)
    return table


def _scaled(reviews: int, body: Body) -> int:
    """Fewer reviews of a big body."""
    return max(5, min(reviews, reviews * 100_000 // body.length))


def _function_table(body: Body, found: list[Line]) -> Table:
    table = Table(title=f"{body.name}: functions by own time", title_justify="left")
    table.add_column("function", overflow="fold")
    for name in ("calls", "own µs", "with callees µs"):
        table.add_column(name, justify="right")
    for line in found:
        table.add_row(line.function, f"{line.calls:,.1f}", f"{line.own:,.1f}", f"{line.total:,.1f}")
    return table


if __name__ == "__main__":
    app()
