"""What the demo prints: steps with their time, a live table on a terminal, plain lines in a pipe."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import TextIO

from rich.console import Console
from rich.live import Live
from rich.status import Status
from rich.table import Table
from rich.text import Text

from admission.cli.console import color_system
from tests.demo.kind import Promise

PIPE_WIDTH = 100_000  # columns where nobody looks directly: a script reads lines, however long
LABEL = 14  # columns of a step's mark and name
REFRESH = 4  # a second: each takes a millisecond, and eyes see no more
PROGRESS_EVERY, PROGRESS_EVERY_IN_A_PIPE = 1.0, 30.0  # seconds: one line that changes, or lines that stay


class Show:
    """Prints to ``stream``. Colours, a spinner and a live table on a terminal only; NO_COLOR leaves no style."""

    def __init__(self, stream: TextIO = sys.stdout) -> None:
        if isinstance(stream, type(sys.stdout)) and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace", line_buffering=True)
        width = None if stream.isatty() else PIPE_WIDTH
        self.console = Console(file=stream, highlight=False, width=width, color_system=color_system(os.environ))
        self.lively = self.console.is_terminal and not self.console.is_dumb_terminal
        self.progress_every = PROGRESS_EVERY if self.lively else PROGRESS_EVERY_IN_A_PIPE
        self._status: Status | None = None

    def line(self, *parts: str | tuple[str, str]) -> None:
        """Print one line of plain and ``(text, style)`` parts; only a terminal breaks it: it can be copied."""
        self.console.print(Text.assemble(*parts), soft_wrap=True)

    def prose(self, indent: int, start: str | Text, *parts: str | tuple[str, str]) -> None:
        """Print ``start`` in the first ``indent`` columns and beside it what is broken between words."""
        beside = Table.grid()
        beside.add_column(width=indent, no_wrap=True)
        beside.add_column(overflow="fold")
        beside.add_row(start, Text.assemble(*parts))
        self.console.print(beside)

    def progress(self, text: str) -> None:
        """Say what the step is at: in its one line on a terminal, else in a line of its own."""
        if self._status is not None:
            self._status.update(Text(text))
        else:
            self.line(" " * 2, (text, "dim"))

    def note(self, text: str) -> None:
        """Print a paragraph that a terminal breaks between words."""
        self.console.print(Text(text, style="dim"))

    @contextlib.contextmanager
    def step(self, name: str, doing: str) -> Iterator[Callable[[str], None]]:
        """Show a step while it is under way, and a line with its result and time when it is done."""
        started = time.monotonic()
        results: list[str] = []
        with self._spinning(f"{name}: {doing} …"):
            yield results.append
        took = f"  {time.monotonic() - started:.1f} s"
        self.prose(LABEL, Text.assemble(("✔ ", "green"), name), results[-1], (took, "dim"))

    @contextlib.contextmanager
    def _spinning(self, text: str) -> Iterator[None]:
        if not self.lively:
            yield
            return
        with self.console.status(Text(text)) as status:
            self._status = status
            try:
                yield
            finally:
                self._status = None

    def detail(self, *parts: str | tuple[str, str]) -> None:
        """Print one line below a step."""
        self.prose(LABEL, "", *parts)

    @contextlib.contextmanager
    def live(self, draw: Callable[[], Table]) -> Iterator[None]:
        """Show a table that is drawn again and again on a terminal; the caller prints the last one."""
        if not self.lively:
            yield
            return
        with Live(
            console=self.console, get_renderable=draw, refresh_per_second=REFRESH, transient=True, redirect_stdout=False
        ):
            yield

    def table(self, table: Table) -> None:
        self.console.print(table)

    def promise(self, promise: Promise) -> None:
        mark = ("✔ ", "green") if promise.kept else ("✘ ", "bold red")
        found = (f"  ({promise.found})", "dim" if promise.kept else "red")
        self.prose(4, Text.assemble("  ", mark), promise.text, found)
