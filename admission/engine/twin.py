"""Twins: items of lists that count as one, because what identifies them is equal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from admission.engine.fieldpath import FieldPath, Member
from admission.engine.places import read
from admission.engine.texts import texts_of_each
from admission.engine.values import List, Object, Value, encode, open_object, scalar_text, text_of

Twin: TypeAlias = tuple[object, ...]
"""What items have in common that count as one: hashable, equal when the compared parts are."""

_TEXT = "text"


def twin_by_keys(items: List, position: int, keys: Sequence[FieldPath]) -> Twin | None:
    """What identifies an item; None when it lacks one of the keys (``null`` is absent)."""
    values = [read(items, position, key) for key in keys]
    return None if not all(values) else tuple(comparable(value[0]) for value in values)


def twin_of(members: Object, keys: Sequence[FieldPath]) -> Twin | None:
    """What identifies an object that was opened; nothing in it is opened further."""
    names = _names(keys)
    texts = [None] if names is None else [text_of(members.get(name)) for name in names]
    return twin_by_keys([dict(members)], 0, keys) if None in texts else tuple((_TEXT, text) for text in texts)


def keyed_texts(
    items: List, keys: Sequence[FieldPath], fields: tuple[str, ...]
) -> tuple[list[Twin | None], list[Sequence[str | None]]]:
    """:func:`twin_by_keys` of every item, and its texts at ``fields``; as a rule in one pass that opens nothing."""
    names, count = _names(keys), len(keys)
    if names is None:
        texts: list[Sequence[str | None]] = [row or (None,) * len(fields) for row in texts_of_each(items, fields)]
        return [twin_by_keys(items, position, keys) for position in range(len(items))], texts
    rows = [row or (None,) * (count + len(fields)) for row in texts_of_each(items, (*names, *fields))]
    twins = [
        twin_by_keys(items, position, keys) if None in row[:count] else tuple((_TEXT, text) for text in row[:count])
        for position, row in enumerate(rows)
    ]
    return twins, [row[count:] for row in rows]


def _names(keys: Sequence[FieldPath]) -> tuple[str, ...] | None:
    """The names of keys that are members of the item; None when one leads further."""
    names = tuple(
        key.segments[0].name for key in keys if len(key.segments) == 1 and isinstance(key.segments[0], Member)
    )
    return names if len(names) == len(keys) else None


def paired_twins(twins: Sequence[Twin | None], others: Sequence[Twin | None]) -> Iterator[tuple[int, int]]:
    """The positions of twins on both sides. One that occurs twice on either of them has none."""
    known = _unique(others)
    for twin, position in _unique(twins).items():
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
