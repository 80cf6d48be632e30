"""``fieldsV1`` of one manager, walked beside an object.

The format (KEP-555): nested objects whose names are ``f:name`` (a member), ``k:{json}`` (the item of a keyed list that
has these members), ``v:json`` (the item of a set), ``i:n`` (the item at an index) and ``.`` (the value itself); ``{}``
is a leaf, which owns all that is below it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeAlias

import msgspec
from msgspec import Raw

from admission.engine.edit import Edit
from admission.engine.values import Container, Key, List, Object, Trail, Value, encode, open_child, opened, scalar_text

Fields: TypeAlias = dict[str, Any]
"""A decoded ``fieldsV1``."""

_SELF: Final = "."
_FIELD, _KEYED, _VALUE, _INDEX = "f:", "k:", "v:", "i:"
_FIELDS: Final = msgspec.json.Decoder(Fields)


class FieldSet:
    """What one manager owns.

    Elements of lists are indexed once: a list of some thousand keyed items would otherwise be searched for every one.
    """

    def __init__(self, fields: Fields) -> None:
        self.fields = fields
        self._elements: dict[int, _Elements] = {}

    @classmethod
    def of(cls, raw: Raw) -> FieldSet | None:
        """Decode it; None when it is no object."""
        try:
            return cls(_FIELDS.decode(raw))
        except msgspec.DecodeError:
            return None

    def owns_as_leaf(self, trail: Trail, root: Container) -> bool:
        """True when the value at ``trail`` of ``root`` is a leaf, or lies in one."""
        node, container = self.fields, root
        for key in trail:
            child = self._child(node, container, key)
            if child is None:
                return False
            if not child:
                return True
            inside = open_child(container, key)
            if inside is None or type(child) is not dict:
                return False
            node, container = child, inside
        return False

    def names_items_by(self, trail: Trail, key: Key, root: Container) -> bool:
        """True when items of the list at ``trail`` are told apart by their member ``key``.

        Items of a set are told apart by all that they are: so they are when ``key`` is a position.
        """
        elements, _ = self._elements_at(trail, root)
        if elements is None:
            return False
        return bool(elements.by_value) if isinstance(key, int) else key in elements.members

    def names_by_value(self, trail: Trail, position: int, root: Container) -> bool:
        """True when the item at ``position`` of the list at ``trail`` is named by all that it is."""
        elements, items = self._elements_at(trail, root)
        if elements is None or not elements.by_value or not isinstance(items, list) or position >= len(items):
            return False
        return _canonical(items[position]) in elements.by_value

    def _elements_at(self, trail: Trail, root: Container) -> tuple[_Elements | None, Container]:
        node, container = self.fields, root
        for step in trail:
            child = self._child(node, container, step)
            inside = open_child(container, step) if child is not None else None
            if inside is None or type(child) is not dict:
                return None, container
            node, container = child, inside
        return self._elements_of(node), container

    def _child(self, node: Fields, container: Container, key: Key) -> Any | None:
        if isinstance(container, dict):
            return node.get(f"{_FIELD}{key}") if key in container else None
        if not isinstance(key, int) or not 0 <= key < len(container):
            return None
        return self._elements_of(node).child(container[key], key)

    def _elements_of(self, node: Fields) -> _Elements:
        found = self._elements.get(id(node))
        if found is None:  # the node is part of ``fields``: its id stays its own
            found = self._elements[id(node)] = _Elements(node)
        return found


class _Elements:
    """The elements of a list's node by what they name."""

    def __init__(self, node: Fields) -> None:
        self.by_value: dict[bytes, Any] = {}
        self.members: set[str] = set()
        self._by_position: dict[str, Any] = {}
        self._by_shape: dict[tuple[str, ...], dict[tuple[bytes, ...], Any]] = {}
        for name, child in node.items():
            self._add(name, child)

    def _add(self, name: str, child: Any) -> None:
        if name.startswith(_INDEX):
            self._by_position[name[2:]] = child
        elif name.startswith(_VALUE):
            value = _canonical_text(name[2:])
            if value is not None:
                self.by_value.setdefault(value, child)
        elif name.startswith(_KEYED):
            keys = _open_keys(name[2:].encode())
            if keys:
                shape = tuple(sorted(keys))
                self.members.update(shape)
                found = self._by_shape.setdefault(shape, {})
                found.setdefault(tuple(_canonical(keys[member]) for member in shape), child)

    def child(self, item: Value, position: int) -> Any | None:
        """The node of an item; None when no element names it."""
        found = self._by_position.get(str(position)) if self._by_position else None
        if found is None and self._by_shape:
            members = opened(item)
            if isinstance(members, dict):
                for shape, nodes in self._by_shape.items():
                    if found is None and all(member in members for member in shape):
                        found = nodes.get(tuple(_canonical(members[member]) for member in shape))
        if found is None and self.by_value:
            found = self.by_value.get(_canonical(item))
        return found


def _open_keys(body: bytes) -> Object | None:
    try:
        return msgspec.json.decode(body, type=dict[str, Raw])  # type: ignore[return-value]  # dict is invariant
    except msgspec.DecodeError:
        return None


def _canonical_text(text: str) -> bytes | None:
    try:
        return _canonical(msgspec.json.decode(text.encode(), type=Raw))
    except msgspec.DecodeError:
        return None


def _canonical(value: Value) -> bytes:
    """A value as bytes that are equal when the values are; numbers when they are written alike."""
    text = scalar_text(value)
    if text is None:
        return msgspec.json.encode(msgspec.json.decode(encode(value)), order="deterministic")
    return b'"' + text.encode() if encode(value)[:1] == b'"' else text.encode()


def within(part: Fields | None, whole: Fields | None) -> bool:
    """True when every field of ``part`` is one of ``whole``. A leaf owns all below it, so only a leaf holds one."""
    if type(part) is not dict or type(whole) is not dict:
        return False
    if not part or not whole:
        return part == whole
    return all(name in whole and within(child, whole[name]) for name, child in part.items())


# --- pruning ---------------------------------------------------------------------------------------------------------


def removes(edits: Edit) -> bool:
    """True when the edits removed an item or a member somewhere, or cut an item of a set (a cut member stays owned)."""
    return bool(edits.gone or edits.displaced) or any(map(removes, edits.children.values()))


def removes_members(edits: Edit) -> bool:
    """True when the edits removed a member of an object somewhere."""
    first = next(iter(edits.gone), None)  # what is gone from one container has keys of one type
    return type(first) is str or any(map(removes_members, edits.children.values()))


_LEAF: Final = Raw(b"{}")
_LEVEL: Final = msgspec.json.Decoder(dict[str, Raw])


def may_own_inside(fields: Raw, edit: Edit) -> bool:
    """False when an entry owns nothing inside what the edits touched; sees that without decoding all of it."""
    if fields == _LEAF:
        return False
    if edit.gone or edit.displaced or edit.kept is not None:
        return True
    try:
        members = _LEVEL.decode(fields)
    except msgspec.DecodeError:
        return False
    for key, child in edit.children.items():
        inside = members.get(f"{_FIELD}{key}") if isinstance(key, str) else fields
        if inside is not None and removes(child) and (inside is fields or may_own_inside(inside, child)):
            return True
    return False


def pruned(node: Fields, edit: Edit, value: Value) -> Fields | None:
    """``node`` without what the edit removed: itself when nothing of it was, None when nothing is left of it."""
    if not node or type(node) is not dict or not removes(edit):
        return node
    container = opened(value)
    if isinstance(container, dict):
        children = {name: _pruned_member(name, child, edit, container) for name, child in node.items()}
    elif isinstance(container, list):
        children = _pruned_items(node, edit, container)
    else:
        return node
    left = {name: child for name, child in children.items() if child is not None}
    if len(left) == len(node) and all(left[name] is node[name] for name in left):
        return node
    if not left:
        return None
    return {} if left.keys() == {_SELF} else left


def _pruned_member(name: str, child: Fields, edit: Edit, members: Object) -> Fields | None:
    if not name.startswith(_FIELD):
        return child
    key = name[2:]
    if key in edit.gone and key not in members:
        return None
    inner = edit.children.get(key)
    return child if inner is None or key not in members else pruned(child, inner, members[key])


def _pruned_items(node: Fields, edit: Edit, items: List) -> dict[str, Fields | None]:
    kept = edit.kept if edit.kept is not None else range(len(items))
    left, gone = _Lookup(items), _Lookup((*edit.gone.values(), *edit.displaced))
    children: dict[str, Fields | None] = {}
    for name, child in node.items():
        if name.startswith((_KEYED, _VALUE)):
            position = left.position(name)
            if position is not None:
                inner = edit.children.get(kept[position])
                children[name] = child if inner is None else pruned(child, inner, items[position])
            else:
                children[name] = None if gone.position(name) is not None else child
        elif name.startswith(_INDEX):
            children[name] = child if name[2:].isdigit() and int(name[2:]) < len(items) else None
        else:
            children[name] = child
    return children


class _Lookup:
    """Items by what a ``k:`` or ``v:`` element names: one pass a shape of keys, not one an element."""

    def __init__(self, items: Iterable[Value]) -> None:
        self._items = list(items)
        self._by_shape: dict[tuple[str, ...], dict[tuple[bytes, ...], int]] = {}
        self._by_value: dict[bytes, int] | None = None

    def position(self, name: str) -> int | None:
        if name.startswith(_VALUE):
            return self._position_of_value(name[2:].encode())
        keys = _open_keys(name[2:].encode())
        if keys is None:
            return None
        shape = tuple(sorted(keys))
        if shape not in self._by_shape:
            self._by_shape[shape] = self._index(shape)
        return self._by_shape[shape].get(tuple(_canonical(keys[key]) for key in shape))

    def _position_of_value(self, body: bytes) -> int | None:
        if self._by_value is None:
            self._by_value = {}
            for position, item in enumerate(self._items):
                self._by_value.setdefault(_canonical(item), position)
        try:
            return self._by_value.get(_canonical(msgspec.json.decode(body, type=Raw)))
        except msgspec.DecodeError:
            return None

    def _index(self, shape: tuple[str, ...]) -> dict[tuple[bytes, ...], int]:
        index: dict[tuple[bytes, ...], int] = {}
        for position, item in enumerate(self._items):
            members = opened(item)
            if isinstance(members, dict) and all(key in members for key in shape):
                index.setdefault(tuple(_canonical(members[key]) for key in shape), position)
        return index
