"""Text that fits a width: folded between words, and a word that is too long after a dot, a slash or the like."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rich.cells import cell_len, chop_cells
from rich.text import Text

_WORD: Final = re.compile(r"\s*(?:\S*\d )?\S+")
"""A word with the blanks before it; a number keeps what it counts (``443 B``, ``3 items``)."""

_JOINT: Final = re.compile(r"\s*[^./,:\s-]*[./,:-]*")
"""What may stand alone of a word that no line is long enough for: ``status.``, ``team-``."""


def fold(text: Text, width: int, hang: int = 0) -> list[Text]:
    """Lines of at most ``width`` columns; those that continue one are indented by ``hang``. Line breaks stay."""
    return [folded for line in text.split(allow_blank=True) for folded in _fold_line(line, width, hang)]


def _fold_line(line: Text, width: int, hang: int) -> Iterator[Text]:
    if cell_len(line.plain) <= width:
        yield line
        return
    if max(hang, _indent(line.plain)) > width // 2:  # no terminal for people; then at least nothing is wider
        line, hang = line[_indent(line.plain) :], 0
    for number, piece in enumerate(line.divide(_breaks(line.plain, width, hang))):
        piece.rstrip()
        yield piece if number == 0 else Text.assemble(" " * hang, piece)


def _breaks(text: str, width: int, hang: int) -> Iterator[int]:
    """The offsets at which a new line begins: each at the first character of a piece, never at a blank."""
    used = at = 0
    for piece in _pieces(text, width - max(hang, _indent(text))):
        start = at + _indent(piece)
        at += len(piece)
        if text[:start].strip() and used + cell_len(piece) > width:
            yield start
            used = hang + cell_len(text[start:at])
        else:
            used += cell_len(piece)


def _pieces(text: str, room: int) -> Iterator[str]:
    """All of a text but the blanks at its end, in pieces that are not broken, each with the blanks before it."""
    for word in _WORD.findall(text):
        if cell_len(word.lstrip()) <= room:
            yield word
            continue
        for joint in filter(None, _JOINT.findall(word)):
            yield from [joint] if cell_len(joint.lstrip()) <= room else chop_cells(joint, room)


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())
