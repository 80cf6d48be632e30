"""Rows stand in columns as long as there is room."""

import pytest
from rich.text import Text

from admission.cli.columns import align

ROWS = [["long", "status.a.conditions", "1 item"], ["longer", "status.b", "12 items"]]


def aligned(width: int, least: int = 8, rows: list[list[str]] = ROWS) -> list[str] | None:
    lines = align([[Text(cell) for cell in row] for row in rows], width, 1, least, right={2})
    return None if lines is None else [line.plain for line in lines]


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    assert aligned(80) == ["long    status.a.conditions    1 item", "longer  status.b             12 items"]


def test_the_flexible_column_is_folded() -> None:
    assert aligned(29) == ["long    status.a.      1 item", "        conditions", "longer  status.b     12 items"]


def test_a_terminal_without_room_for_it_is_told() -> None:
    assert aligned(25) is None


def test_a_short_column_needs_no_more_than_it_has() -> None:
    assert aligned(10, least=40, rows=[["a", "b", "c"]]) == ["a  b  c"]


@pytest.mark.parametrize("width", [29, 80])
def test_no_line_ends_with_blanks(width: int) -> None:
    rows = [["a", "b", ""], ["long", "status.conditions", ""]]
    assert all(line == line.rstrip() for line in aligned(width, rows=rows) or [" "])
