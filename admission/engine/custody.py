"""The check of ``managedFields`` after a trim: claims to what went are gone, and lost ones came back; nothing else.

It reads the bytes that the patch leaves anew, and compares them with those that were sent and stored, claim by claim.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

from admission.engine.document import Document
from admission.engine.elements import FIELD, KEYED, SELF, VALUE, Fields, Lookup
from admission.engine.fieldset import Standing
from admission.engine.ownership import APPLY, Identity, Ownership
from admission.engine.values import Object, Value, encode, opened, same

_Names: TypeAlias = tuple[str, ...]


class _Change(NamedTuple):
    """A claim that an entry has on one side only, and what it leads to, if to anything: in the result, and stored."""

    names: _Names
    gained: bool
    now: Value | None
    before: Value | None


def custody_fault(document: Document, result: Object) -> str | None:
    """What is wrong with the ``managedFields`` of ``result``, the object as the patch leaves it; None when nothing."""
    sent, left = document.ownership, Ownership.of(result)
    if left.raw == sent.raw:
        return None
    if _is_only_pruned(sent, left, result):
        return None  # the usual case: items that went are not sought in their list once more
    stored = Ownership.of(document.stored_object)
    if _alike(left.raw, stored.raw) and _is_stored(document, result):
        return None
    if not left.entries:
        return "nobody owns anything any more"
    return _Custody(Ownership.of(document.object), stored, left).fault(result, document.stored_object or {})


def _is_stored(document: Document, result: Object) -> bool:
    """True when the roots are what is stored: then so may their managers be."""
    before = document.stored_object or {}
    return all(_alike(result.get(root), before.get(root)) for root in document.roots)


def _alike(left: Value | None, right: Value | None) -> bool:
    if left is None or right is None:
        return left is right
    return encode(left) == encode(right) or same(left, right)


def _is_only_pruned(sent: Ownership, left: Ownership, result: Object) -> bool:
    """True when the same managers own what they owned, or less of it: members that went, and items."""
    if len(sent.entries) != len(left.entries):
        return False
    for position, (was, now) in enumerate(zip(sent.entries, left.entries, strict=True)):
        if was.identity != now.identity or was.time != now.time:
            return False
        if was.fields_v1 != now.fields_v1:
            had, has = sent.fields(position), left.fields(position)
            if not _is_pruned(had or {}, has or {}, result):
                return False
    return True


def _is_pruned(had: Any, has: Any, value: Value | None) -> bool:
    """True when nothing is owned now that was not, and no member that is still there is owned no more.

    ``value`` is what the node leads to; None for an item, which is not sought.
    """
    if type(had) is not dict or type(has) is not dict or not has.keys() <= had.keys():
        return False
    container = None if value is None else opened(value)
    members = container if isinstance(container, dict) else {}
    for name, old in had.items():
        new = has.get(name)
        if old == new or name == SELF:
            continue
        there = members.get(name[2:]) if name.startswith(FIELD) else None
        if new is None:
            if there is not None:
                return False
        elif not ((new or SELF in old) and _is_pruned(old, new, there)):
            return False
    return True


class _Custody:
    """Who owned what, as it was sent and as it is stored, and who owns it now; positions of entries by who they are."""

    def __init__(self, sent: Ownership, stored: Ownership, left: Ownership) -> None:
        self._sent, self._stored, self._left = sent, stored, left
        self._in_sent, self._in_stored, self._in_left = map(_positions, (sent, stored, left))

    def fault(self, result: Object, before: Object) -> str | None:
        """The first thing that is wrong; ``before`` is the stored object."""
        for identity in {**self._in_sent, **self._in_left}:
            if not self._is_known(identity):
                return f"the entry of {identity[0]!r} is another one"
            for change in self._changes(identity, result, before):
                if not (self._came_back(identity, change) if change.gained else self._went(identity, change)):
                    return f"{identity[0]!r} {'gained' if change.gained else 'lost'} {'/'.join(change.names)}"
        return None

    def _is_known(self, identity: Identity) -> bool:
        """True when the entry was sent, or else stored, with this time."""
        at = self._in_left.get(identity)
        if at is None:
            return True
        ownership, known = self._sent, self._in_sent.get(identity)
        if known is None:
            ownership, known = self._stored, self._in_stored.get(identity)
        return known is not None and ownership.entries[known].time == self._left.entries[at].time

    def _changes(self, identity: Identity, result: Object, before: Object) -> Iterator[_Change]:
        was, now = self._in_sent.get(identity), self._in_left.get(identity)
        if was is not None and now is not None and self._sent.entries[was] == self._left.entries[now]:
            return
        had = None if was is None else self._sent.fields(was)
        has = None if now is None else self._left.fields(now)
        yield from _changes_inside(had or {}, has or {}, result, before, ())

    def _came_back(self, identity: Identity, change: _Change) -> bool:
        """True for what the manager owns of the stored object, and which is what it was there."""
        if not _owns(self._stored, self._in_stored.get(identity), change.names):
            return False
        return change.now is not None and change.before is not None and same(change.now, change.before)

    def _went(self, identity: Identity, change: _Change) -> bool:
        """True for what is there no more, and for what an updater had gained and an applier has back."""
        if change.now is None:
            return True
        if identity[1] == APPLY or _owns(self._stored, self._in_stored.get(identity), change.names):
            return False
        return any(
            other[1] == APPLY
            and _owns(self._left, at, change.names)
            and not _owns(self._sent, self._in_sent.get(other), change.names)
            for other, at in self._in_left.items()
        )


def _positions(ownership: Ownership) -> dict[Identity, int]:
    return {entry.identity: position for position, entry in enumerate(ownership.entries)}


def _owns(ownership: Ownership, position: int | None, names: _Names) -> bool:
    return position is not None and ownership.standing(position, names) is Standing.OWNER


# --- what differs ----------------------------------------------------------------------------------------------------


def _changes_inside(
    had: Fields, has: Fields, now: Value | None, before: Value | None, way: _Names
) -> Iterator[_Change]:
    """What differs below a node, walked beside what it leads to in the result and in the stored object."""
    names = [name for name in {**had, **has} if name != SELF and had.get(name) != has.get(name)]
    values, olds = _Members(now), _Members(before)
    for name in names:
        yield from _changes(had.get(name), has.get(name), values.at(name), olds.at(name), (*way, name))


def _changes(had: Any, has: Any, now: Value | None, before: Value | None, way: _Names) -> Iterator[_Change]:
    if has is None and now is None:
        return  # all that was owned of it went with it
    if _is_owned(had) != _is_owned(has):
        yield _Change(way, _is_owned(has), now, before)
    if type(had) is dict or type(has) is dict:
        yield from _changes_inside(_inside(had), _inside(has), now, before, way)


def _is_owned(node: Any) -> bool:
    """True when a node stands for itself, not only for what is in it."""
    return node is not None and (type(node) is not dict or not node or SELF in node)


def _inside(node: Any) -> Fields:
    return node if type(node) is dict else {}


class _Members:
    """What the elements of one node lead to."""

    def __init__(self, value: Value | None) -> None:
        self._container = None if value is None else opened(value)
        self._lookup: Lookup | None = None

    def at(self, name: str) -> Value | None:
        """The member or item that an element names; None when there is none."""
        if isinstance(self._container, dict):
            return self._container.get(name[2:]) if name.startswith(FIELD) else None
        if self._container is None or not name.startswith((KEYED, VALUE)):
            return None
        if self._lookup is None:
            self._lookup = Lookup(self._container)
        position = self._lookup.position(name)
        return None if position is None else self._container[position]
