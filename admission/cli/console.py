"""Where a command prints: colours on a terminal only, and no line is broken in a pipe."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, TextIO

from rich.console import Console
from rich.style import Style
from rich.text import Text

from admission.cli.folding import fold

_UNBROKEN: Final = 100_000
"""Columns of an output that nobody looks at directly: a script reads lines, however long."""

QUIET: Final = "dim"
"""The style of what matters less."""

_DIFF: Final = {"---": "bold", "+++": "bold", "@@": "cyan", "-": "red", "+": "green"}


def stdout() -> Console:
    """A console on the standard output, as it is at this moment."""
    return _console(sys.stdout)


def _console(stream: TextIO) -> Console:
    """FORCE_COLOR is honoured by rich."""
    width = None if stream.isatty() else _UNBROKEN
    styles = color_system(os.environ)
    return Console(file=stream, highlight=False, markup=False, emoji=False, width=width, color_system=styles)


def color_system(environment: Mapping[str, str]) -> Literal["auto"] | None:
    """What rich may style with: nothing where NO_COLOR is not empty. By itself rich would leave bold and dim."""
    return None if environment.get("NO_COLOR") else "auto"


def line(console: Console, *parts: str | Text | tuple[str, str | Style], hang: int = 0) -> None:
    """Print one line of plain and ``(text, style)`` parts.

    A terminal gets it folded between words, and what continues it indented by ``hang``.
    """
    for each in fold(Text.assemble(*parts), console.width, hang):
        verbatim(console, each)


def verbatim(console: Console, *parts: str | Text | tuple[str, str | Style]) -> None:
    """Print one line as it is, however long: what is copied from a terminal, such as a diff, has to stay whole."""
    console.print(Text.assemble(*parts), soft_wrap=True)


def diff(console: Console, lines: Iterable[str], indent: str = "") -> None:
    """Print the lines of a unified diff."""
    for each in lines:
        style = next((style for mark, style in _DIFF.items() if each.startswith(mark)), "")
        verbatim(console, indent, (each, style))


def remark(text: str) -> None:
    """Tell something beside the result: one line on the standard error output."""
    line(_console(sys.stderr), f"statuscap: {text}")


def raw(text: str) -> None:
    """Print what a program reads, as it is: UTF-8, whatever the terminal speaks."""
    sys.stdout.flush()
    sys.stdout.buffer.write((text if text.endswith("\n") else f"{text}\n").encode(errors="backslashreplace"))


def json_lines(values: Sequence[bytes]) -> None:
    """Print one JSON value a line."""
    for value in values:
        raw(value.decode())
