"""Where a command prints: colours on a terminal only, and no line is broken in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Final

from rich.console import Console
from rich.style import Style
from rich.text import Text

_UNBROKEN: Final = 100_000
"""Columns of an output that nobody looks at directly: a script reads lines, however long."""

_DIFF: Final = {"---": "bold", "+++": "bold", "@@": "cyan", "-": "red", "+": "green"}


def stdout() -> Console:
    """A console on the standard output, as it is at this moment. NO_COLOR and FORCE_COLOR are honoured by rich."""
    width = None if sys.stdout.isatty() else _UNBROKEN
    return Console(file=sys.stdout, highlight=False, markup=False, emoji=False, width=width)


def line(console: Console, *parts: str | tuple[str, str | Style]) -> None:
    """Print one line of plain and ``(text, style)`` parts; a terminal breaks it where it has to."""
    console.print(Text.assemble(*parts), soft_wrap=True)


def diff(console: Console, lines: Iterable[str], indent: str = "") -> None:
    """Print the lines of a unified diff."""
    for each in lines:
        style = next((style for mark, style in _DIFF.items() if each.startswith(mark)), "")
        line(console, indent, (each, style))


def raw(text: str) -> None:
    """Print what a program reads, as it is: UTF-8, whatever the terminal speaks."""
    sys.stdout.flush()
    sys.stdout.buffer.write((text if text.endswith("\n") else f"{text}\n").encode(errors="backslashreplace"))


def json_lines(values: Sequence[bytes]) -> None:
    """Print one JSON value a line."""
    for value in values:
        raw(value.decode())
