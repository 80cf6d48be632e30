"""How messages name what was found."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from admission.engine.fieldpath import FieldPath, Index, Member

_LONGEST = 60


def quote(text: str) -> str:
    """A text in double quotes, on one line, shortened."""
    return json.dumps(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…", ensure_ascii=False)


def found(value: Any) -> str:
    """A value of a file in few words."""
    match value:
        case None:
            return "nothing"
        case bool() | int() | float():
            return str(value).lower()
        case str():
            return quote(value)
        case list() | tuple():
            return "a list"
        case dict():
            return "a map"
        case _:
            return type(value).__name__


def one_of(words: Iterable[str]) -> str:
    """Words as a choice: ``a, b or c``."""
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def dotted(loc: tuple[str | int, ...]) -> str:
    """A way into a file as a path: ``spec.trim[0].capList``."""
    return str(FieldPath(tuple(Index(key) if isinstance(key, int) else Member(key) for key in loc))) if loc else ""
