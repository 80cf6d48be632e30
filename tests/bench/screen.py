"""Where the figures are printed: a terminal as wide as it is, and a pipe as wide as they need."""

from __future__ import annotations

import sys
from typing import Final

from rich.console import Console

_ENDLESS: Final = 100_000


def stdout() -> Console:
    """A console on the standard output; no number is cut to fit a pipe."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else _ENDLESS)
