"""Twins: items of lists that count as one, because what identifies them is equal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from admission.engine.fieldpath import FieldPath, Member
from admission.engine.values import List, Value, encode, open_object, read, scalar_text, texts_of_each

Twin: TypeAlias = tuple[object, ...]
"""What items have in common that count as one: hashable, equal when the compared parts are."""

_TEXT = "text"


def twin_by_keys(items: List, position: int, keys: Sequence[FieldPath]) -> Twin | None:
    """What identifies an item; None when it lacks one of the keys (``null`` is absent)."""
    values = [read(items, position, key) for key in keys]
    return None if not all(values) else tuple(comparable(value[0]) for value in values)


def twins_by_keys(items: List, keys: Sequence[FieldPath]) -> list[Twin | None]:
    """:func:`twin_by_keys` of every item; where the keys are texts, as a rule, in one pass that opens nothing."""
    names = tuple(
        key.segments[0].name for key in keys if len(key.segments) == 1 and isinstance(key.segments[0], Member)
    )
    if len(names) < len(keys):
        return [twin_by_keys(items, position, keys) for position in range(len(items))]
    return [
        twin_by_keys(items, position, keys) if row is None or None in row else tuple((_TEXT, text) for text in row)
        for position, row in enumerate(texts_of_each(items, names))
    ]


def paired_twins(items: List, others: List, keys: Sequence[FieldPath]) -> Iterator[tuple[int, int]]:
    """The positions of items that are twins, in both lists. One that occurs twice in either of them has none."""
    known = _unique(twins_by_keys(others, keys))
    for twin, position in _unique(twins_by_keys(items, keys)).items():
        other = known.get(twin)
        if other is not None:
            yield position, other


def _unique(twins: Sequence[Twin | None]) -> dict[Twin, int]:
    found: dict[Twin, int] = {}
    repeated: set[Twin] = set()
    for position, twin in enumerate(twins):
        if twin is not None:
            if twin in found:
                repeated.add(twin)
            found[twin] = position
    return {twin: position for twin, position in found.items() if twin not in repeated}


def comparable(value: Value) -> tuple[str, object]:
    """A hashable form of a value that is equal when the JSON is: numbers as written, members in any order."""
    text = scalar_text(value)
    if text is not None:
        is_text = encode(value)[:1] == b'"'
        return (_TEXT if is_text else "literal", text)
    holder: List = [value]
    members = open_object(holder, 0)
    if members is not None:
        return ("object", tuple(sorted((name, comparable(inner)) for name, inner in members.items())))
    inner_items = holder[0]
    assert isinstance(inner_items, list), "neither scalar nor object"  # noqa: S101
    return ("list", tuple(map(comparable, inner_items)))
