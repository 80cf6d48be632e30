"""Processor instructions of one review, counted by valgrind: on a busy machine the only figure that stays the same.

``python -m tests.bench.instructions SIZE VARIANT REVIEWS`` is what runs under valgrind.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import Final

from tests.bench.bodies import Body, Variant, bodies
from tests.bench.product import handler

FEW, MANY = 20, 120
"""Reviews in two runs: their difference is free of start, imports and what the first reviews warm up."""

_COUNT: Final = re.compile(r"I\s+refs:\s+([\d,]+)")
_VALGRIND: Final = ("--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null")


def available() -> bool:
    """True when valgrind is installed."""
    return shutil.which("valgrind") is not None


def per_review(body: Body) -> int:
    """Instructions that ``Handler.mutate`` takes for one review of this body."""
    return (_counted(body, MANY) - _counted(body, FEW)) // (MANY - FEW)


def _counted(body: Body, reviews: int) -> int:
    program = (sys.executable, "-m", "tests.bench.instructions", body.size, body.variant, str(reviews))
    environment = os.environ | {"PYTHONHASHSEED": "0"}  # the same collisions in both runs
    done = subprocess.run(
        ("valgrind", *_VALGRIND, *program), check=True, capture_output=True, text=True, env=environment
    )
    found = _COUNT.search(done.stderr)
    if found is None:
        raise ValueError(f"valgrind has counted nothing: {done.stderr[-400:]}")
    return int(found[1].replace(",", ""))


def main() -> None:
    """Answer one body so many times."""
    size, variant, reviews = sys.argv[1:]
    review = next(body for body in bodies([size]) if body.variant == Variant(variant)).template
    mutate = handler().mutate
    for _ in range(int(reviews)):
        mutate(review)


if __name__ == "__main__":
    main()
