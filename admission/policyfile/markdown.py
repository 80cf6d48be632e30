"""Markdown files of which some parts are generated, and the command that writes or checks those.

A part stands between ``<!-- generated: NAME -->`` and ``<!-- end of generated: NAME -->``. Everything around these is
written by hand and stays.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from admission.errors import PolicyError
from admission.policyfile.wording import one_of

_BLOCK: Final = re.compile(r"(<!-- generated: (?P<name>\w+) -->\n).*?(<!-- end of generated: (?P=name) -->)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Page:
    """One file and how each of its parts is made."""

    file: Path
    parts: Mapping[str, Callable[[], str]]

    def refreshed(self, text: str) -> str:
        """The text with every part written anew.

        Raises:
            PolicyError: a part has no markers in the text, or what it tells of cannot be loaded.
        """
        missing = self.parts.keys() - {match["name"] for match in _BLOCK.finditer(text)}
        if missing:
            raise PolicyError(f"no place for {one_of(sorted(missing))}: write <!-- generated: NAME --> and its end")
        return _BLOCK.sub(lambda match: f"{match[1]}\n{self.parts[match['name']]().strip()}\n\n{match[3]}", text)

    def command(self, arguments: Sequence[str] | None = None) -> int:
        """``--write`` the file anew, or ``--check`` that it is fresh; returns the exit code."""
        name = f"{self.file.parent.name}/{self.file.name}"
        parser = argparse.ArgumentParser(description=f"The generated parts of {name}.")
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--write", action="store_true", help="write them anew")
        what.add_argument("--check", action="store_true", help="fail when they are stale")
        options = parser.parse_args(arguments)
        try:
            before = self.file.read_text(encoding="utf-8")
            after = self.refreshed(before)
        except (OSError, PolicyError) as error:
            sys.stderr.write(f"{error}\n")
            return 1
        if options.write:
            self.file.write_text(after, encoding="utf-8")
        elif before != after:
            sys.stderr.write(f"{name} is stale; write it anew with: make generate\n")
            return 1
        return 0


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; line breaks in a cell become blanks."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
