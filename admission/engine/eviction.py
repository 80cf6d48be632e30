"""An applier that loses its claim only because we trimmed.

An applier owns a list that was trimmed. When an updater sends that list again as the applier once did, it is longer
than what is stored: the API server sees a change and takes the list from the applier, whose next apply is then a
conflict. Without trimming there would have been no change and no conflict. So such a value is left as it was sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from admission.engine.document import Document
from admission.engine.edit import Edit
from admission.engine.ownership import APPLY, Ownership, may_hold
from admission.engine.values import NULL, Container, Key, List, Trail, Value, encode, opened, same

_APPLY: Final = APPLY.encode()


def evicted_leaves(document: Document, writer: str | None) -> frozenset[Trail]:
    """What was edited that an applier other than the writer loses: lists, texts, members; by their place as sent.

    Only values that are, once trimmed, what is stored: a value that really is another one is taken with good reason.
    So is a time that was put back: the writer had sent another one, and what stands in etcd is the applier's.
    """
    before = document.stored_object
    if before is None or not may_hold(encode(before.get("metadata", NULL)), _APPLY):
        return frozenset()  # the usual case, seen without decoding
    stored, sent = document.stored_ownership, opened(document.submitted)
    appliers = {identity: at for identity, at in stored.appliers.items() if identity[0] != writer}
    if not appliers or not isinstance(sent, dict):
        return frozenset()
    claims, kept = document.ownership.appliers, _Stored(before)
    return frozenset(
        trail
        for trail, now in _edited(document.edits, document.object, ())
        if any(
            stored.owns(at, trail, sent) and not _still_owns(document.ownership, claims.get(identity), trail, sent)
            for identity, at in appliers.items()
        )
        and kept.has(now, document.object)
    )


def _still_owns(ownership: Ownership, position: int | None, trail: Trail, sent: Container) -> bool:
    return position is not None and ownership.owns(position, trail, sent)


def _edited(edit: Edit, value: Value, now: Trail, origin: Trail = ()) -> Iterator[tuple[Trail, Trail]]:
    """Where something was removed or replaced: its place in what was sent, and the place now of what shows it."""
    container = opened(value)
    if isinstance(container, dict):
        yield from (((*origin, name), now) for name in edit.gone if name not in container)
    elif edit.gone or edit.kept is not None:
        yield origin, now
    if edit.replaced and not edit.restored:
        yield origin, now
    if container is None:
        return
    for key, inside in _members(container):
        child = edit.children.get(edit.original(key))
        if child is not None:
            yield from _edited(child, inside, (*now, key), (*origin, edit.original(key)))


def _members(container: Container) -> Iterator[tuple[Key, Value]]:
    return iter(container.items()) if isinstance(container, dict) else enumerate(container)


class _Stored:
    """The stored object, in which items are looked up by what they are, wherever they stand in their list."""

    def __init__(self, stored: Value) -> None:
        self._stored = stored
        self._items: dict[int, frozenset[bytes]] = {}

    def has(self, trail: Trail, result: Value) -> bool:
        """True when the value at ``trail`` of the result is stored too."""
        stored = self._stored
        for key in trail:
            left, right = opened(result), opened(stored)
            if isinstance(left, dict) and isinstance(right, dict) and key in left and key in right:
                result, stored = left[key], right[key]
            elif isinstance(left, list) and isinstance(right, list) and isinstance(key, int):
                return encode(left[key]) in self._items_of(stored, right)
            else:
                return False
        return same(result, stored)

    def _items_of(self, value: Value, items: List) -> frozenset[bytes]:
        found = self._items.get(id(value))
        if found is None:
            found = self._items[id(value)] = frozenset(map(encode, items))
        return found
