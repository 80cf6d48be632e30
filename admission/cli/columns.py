"""Rows whose cells stand below each other, as lines without trailing blanks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import zip_longest
from typing import Final, TypeAlias

from rich.text import Text

from admission.cli.folding import fold

Row: TypeAlias = Sequence[Text]

GAP: Final = "  "


def align(rows: Sequence[Row], width: int, flexible: int, least: int, right: Collection[int] = ()) -> list[Text] | None:
    """The lines of rows, in columns as wide as their widest cell; those of ``right`` end below each other.

    Where that is more than ``width``, the cells of the ``flexible`` column are folded. None when less than ``least``
    columns would be left for them: whoever asks has another shape for a narrow terminal.
    """
    widths = [max(cell.cell_len for cell in column) for column in zip(*rows, strict=True)]
    room = width - (sum(widths) - widths[flexible] + len(GAP) * (len(widths) - 1))
    if room < min(least, widths[flexible]):
        return None
    widths[flexible] = min(room, widths[flexible])
    return [line for row in rows for line in _lines(row, widths, right)]


def _lines(row: Row, widths: Sequence[int], right: Collection[int]) -> list[Text]:
    folded = [fold(cell, width) if width else [cell] for cell, width in zip(row, widths, strict=True)]
    return [_line(cells, widths, right) for cells in zip_longest(*folded, fillvalue=Text())]


def _line(cells: Row, widths: Sequence[int], right: Collection[int]) -> Text:
    padded = []
    for number, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        blanks = " " * (width - cell.cell_len)
        padded.append(Text.assemble(blanks, cell) if number in right else Text.assemble(cell, blanks))
    line = Text(GAP).join(padded)
    line.rstrip()
    return line
