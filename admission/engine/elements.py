"""The elements of ``fieldsV1``: what each name stands for.

The format (KEP-555): nested objects whose names are ``f:name`` (a member), ``k:{json}`` (the item of a keyed list that
has these members), ``v:json`` (the item of a set), ``i:n`` (the item at an index) and ``.`` (the value itself); ``{}``
is a leaf, which owns all that is below it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeAlias

import msgspec
from msgspec import Raw

from admission.engine.values import Object, Value, encode, opened, scalar_text

Fields: TypeAlias = dict[str, Any]
"""A decoded ``fieldsV1``."""

SELF: Final = "."
FIELD: Final = "f:"
KEYED: Final = "k:"
VALUE: Final = "v:"
INDEX: Final = "i:"


def open_keys(body: bytes) -> Object | None:
    """The members that the body of a ``k:`` element names, untouched; None when it is no object."""
    try:
        return msgspec.json.decode(body, type=dict[str, Raw])  # type: ignore[return-value]  # dict is invariant
    except msgspec.DecodeError:
        return None


def canonical_text(text: str) -> bytes | None:
    """:func:`canonical` for the body of an element; None when it is no JSON."""
    try:
        return canonical(msgspec.json.decode(text.encode(), type=Raw))
    except msgspec.DecodeError:
        return None


def canonical(value: Value) -> bytes:
    """A value as bytes that are equal when the values are; numbers when they are written alike."""
    text = scalar_text(value)
    if text is None:
        return msgspec.json.encode(msgspec.json.decode(encode(value)), order="deterministic")
    return b'"' + text.encode() if encode(value)[:1] == b'"' else text.encode()


class Lookup:
    """Items by what a ``k:`` or ``v:`` element names: one pass a shape of keys, not one an element."""

    def __init__(self, items: Iterable[Value]) -> None:
        """Read ``items`` when the first of them is sought."""
        self._items = list(items)
        self._by_shape: dict[tuple[str, ...], dict[tuple[bytes, ...], int]] = {}
        self._by_value: dict[bytes, int] | None = None

    def position(self, name: str) -> int | None:
        """The position of the first item that an element names."""
        if name.startswith(VALUE):
            return self._position_of_value(name[2:].encode())
        keys = open_keys(name[2:].encode())
        if keys is None:
            return None
        shape = tuple(sorted(keys))
        if shape not in self._by_shape:
            self._by_shape[shape] = self._index(shape)
        return self._by_shape[shape].get(tuple(canonical(keys[key]) for key in shape))

    def _position_of_value(self, body: bytes) -> int | None:
        if self._by_value is None:
            self._by_value = {}
            for position, item in enumerate(self._items):
                self._by_value.setdefault(canonical(item), position)
        try:
            return self._by_value.get(canonical(msgspec.json.decode(body, type=Raw)))
        except msgspec.DecodeError:
            return None

    def _index(self, shape: tuple[str, ...]) -> dict[tuple[bytes, ...], int]:
        index: dict[tuple[bytes, ...], int] = {}
        for position, item in enumerate(self._items):
            members = opened(item)
            if isinstance(members, dict) and all(key in members for key in shape):
                index.setdefault(tuple(canonical(members[key]) for key in shape), position)
        return index


class Names:
    """The names in one node of ``fieldsV1``, found in whatever words: API servers escape them in several ways."""

    def __init__(self, node: Any) -> None:
        """Read a node; its names are compared by what they mean when one is sought that is not there.

        What is no object has no names.
        """
        self._node: Fields = node if type(node) is dict else {}
        self._by_meaning: dict[tuple[str, bytes | None], str] | None = None

    def spelling(self, name: str) -> str | None:
        """The name that stands for the same in this node; None when there is none."""
        if name in self._node:
            return name
        if not name.startswith((KEYED, VALUE)):
            return None
        if self._by_meaning is None:
            self._by_meaning = {_meaning(known): known for known in self._node if known.startswith((KEYED, VALUE))}
        meant = _meaning(name)
        return None if meant[1] is None else self._by_meaning.get(meant)

    def child(self, name: str) -> Any | None:
        """The child that the name stands for; None when there is none."""
        found = self.spelling(name)
        return None if found is None else self._node[found]


def _meaning(name: str) -> tuple[str, bytes | None]:
    return name[:2], canonical_text(name[2:])
