"""What is wrong with a policy, and the words that say so: every line of ``messages.txt``."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.policyfile.sample import GONE, bent, told

TABLE = Path(__file__).with_name("messages.txt")


def rows() -> list[Any]:
    """A bend and what it leads to: the line with "=", and the indented one below it."""
    lines = TABLE.read_text().splitlines()
    pairs = pairwise(lines)
    return [pytest.param(bend, message.strip(), id=bend) for bend, message in pairs if message.startswith("    ")]


@pytest.mark.parametrize(("bend", "message"), rows())
def test_says_what_is_wrong_where_and_what_to_write(bend: str, message: str) -> None:
    place, _, text = bend.partition(" = ")
    value = GONE if text == "(left out)" else json.loads(text)
    assert told(bent((place, value))) == [message]


def test_every_line_of_the_table_is_tried() -> None:
    indented = [line for line in TABLE.read_text().splitlines() if line.startswith("    ")]
    assert len(indented) == len(rows()) > 90
