"""``python -m tests.fuzz --reviews 20000 --seed 1``: exit 1 on any failure, each saved with what repeats it.

``--http 50000`` sends mangled HTTP to a server instead.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.progress import Progress

from tests.engine.oracle import problems
from tests.fuzz.http import run_http
from tests.fuzz.jobs import run_by
from tests.fuzz.judging import Oracle
from tests.fuzz.run import Summary


def main(arguments: Sequence[str] | None = None, oracle: Oracle = problems) -> int:
    """Run, tell, save."""
    options = _options(arguments)
    if options.http:
        return _http(options)
    numbers = [options.only] if options.only is not None else range(options.reviews)
    with Progress(disable=not sys.stderr.isatty(), transient=True) as progress:
        task = progress.add_task("reviews", total=len(numbers))
        summary = run_by(options.jobs, options.seed, numbers, lambda count: progress.advance(task, count), oracle)
    _save(summary, options.save)
    print(f"seed {options.seed}: {summary}")
    print(f"reviews per 10,000:\n{summary.coverage}")
    return 1 if summary.failures else 0


def _http(options: argparse.Namespace) -> int:
    numbers = [options.only] if options.only is not None else range(options.http)
    with Progress(disable=not sys.stderr.isatty(), transient=True) as progress:
        task = progress.add_task("calls", total=len(numbers))
        summary = run_http(options.seed, numbers, lambda: progress.advance(task))
    for failure in summary.failures:
        print(failure)
    print(f"seed {options.seed}: {summary}")
    return 1 if summary.failures else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--reviews", type=int, default=20_000, help="how many (default: %(default)s)")
    parser.add_argument("--http", type=int, default=0, metavar="CALLS", help="mangled HTTP instead: how many calls")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes judge reviews (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (default: %(default)s)")
    parser.add_argument("--only", type=int, help="the number of one review or call, to repeat a failure")
    parser.add_argument(
        "--save", type=Path, default=Path("build/fuzz"), help="where failures go (default: %(default)s)"
    )
    return parser.parse_args(arguments)


def _save(summary: Summary, directory: Path) -> None:
    for failure in summary.failures:
        directory.mkdir(parents=True, exist_ok=True)
        file = directory / f"seed-{failure.seed}-review-{failure.number}.txt"
        file.write_text(f"{failure}\n")
        print(f"{file}: {failure.wrong[0]}")


if __name__ == "__main__":
    sys.exit(main())
