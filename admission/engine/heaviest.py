"""Which parts of a root make it heavy: for the message that a write is too big."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import Final

from admission.engine.attributes import STATUS
from admission.engine.document import Document
from admission.engine.fieldpath import FieldPath, Index, Member
from admission.engine.values import ANY_NUMBER, Key, Trail, Value, is_list, opened

_SHOWN: Final = 3
_LEVELS: Final = 2
_LONGEST_NAME: Final = 63
_NOUNS: Final = frozenset({"object", STATUS})


def heaviest(document: Document, root: str) -> list[tuple[Trail, int]]:
    """The three heaviest members of a root, with their bytes as stored, the heaviest first.

    A map of which one entry makes up more than half is named by that entry, one level deeper.
    """
    if root not in document.object:
        return []
    found = heapq.nlargest(_SHOWN, _members(document, (root,), document.object[root]), key=lambda one: one[1])
    return [_narrowed(document, trail, value, size) for trail, size, value in found]


def _narrowed(document: Document, trail: Trail, value: Value, size: int) -> tuple[Trail, int]:
    inside = _members(document, trail, value) if len(trail) <= _LEVELS else ()
    most = max(inside, key=lambda one: one[1], default=None)
    return (trail, size) if most is None or 2 * most[1] <= size else most[:2]


def _members(document: Document, trail: Trail, value: Value) -> Iterator[tuple[Trail, int, Value]]:
    members = None if is_list(value) else opened(value, ANY_NUMBER)
    if isinstance(members, dict):
        for name, inner in members.items():
            yield (*trail, name), document.size(inner), inner


def readable(trail: Trail) -> str:
    """A trail as a path of one line; names may hold anything, and may be long."""
    return str(FieldPath(tuple(map(_segment, trail))))


def subject(trail: Trail) -> str:
    """A trail as what a sentence is about, in the singular: ``results`` is one member of the object."""
    if len(trail) > 1:
        return readable(trail)
    return f"the {readable(trail)}" if trail[0] in _NOUNS else f"the member {readable(trail)}"


def _segment(key: Key) -> Member | Index:
    if isinstance(key, int):
        return Index(key)
    name = "".join(character if character.isprintable() else "?" for character in key)
    return Member(name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…")
