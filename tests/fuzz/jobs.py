"""A run by several processes, each of which takes some of the numbers at a time."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed

from tests.engine.oracle import problems
from tests.fuzz.judging import Oracle
from tests.fuzz.run import Summary, run

CHUNK = 500
"""Reviews at a time: some seconds."""


def run_by(
    jobs: int,
    seed: int,
    numbers: Sequence[int],
    on_reviews: Callable[[int], None] = lambda count: None,
    oracle: Oracle = problems,
) -> Summary:
    """Answer and judge the reviews of these numbers by so many processes."""
    chunks = [numbers[at : at + CHUNK] for at in range(0, len(numbers), CHUNK)]
    summary = Summary()
    if jobs == 1:
        for chunk in chunks:
            summary.add(_some(seed, chunk, oracle))
            on_reviews(len(chunk))
        return summary
    with ProcessPoolExecutor(jobs) as pool:
        running = [pool.submit(_some, seed, chunk, oracle) for chunk in chunks]
        for done in as_completed(running):
            found = done.result()
            summary.add(found)
            on_reviews(found.reviews)
    summary.failures.sort(key=lambda failure: failure.number)
    return summary


def _some(seed: int, numbers: Sequence[int], oracle: Oracle) -> Summary:
    gc.disable()  # reviews leave no cycles to speak of, and the collector would take a tenth of the time
    try:
        return run(seed, numbers, oracle=oracle)
    finally:
        gc.enable()
        gc.collect()
