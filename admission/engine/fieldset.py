"""``fieldsV1`` of one manager, walked beside an object."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, Final

import msgspec
from msgspec import Raw

from admission.engine.elements import FIELD, INDEX, KEYED, VALUE, Fields, Names, canonical, canonical_text, open_keys
from admission.engine.values import Container, Key, Trail, Value, open_child, opened

_FIELDS: Final = msgspec.json.Decoder(Fields)


class Standing(Enum):
    """How a manager stands to one leaf: it owns it, nothing of it, or only something that is in it."""

    OWNER = "owner"
    STRANGER = "stranger"
    INSIDER = "insider"


class FieldSet:
    """What one manager owns.

    Elements of lists are indexed once: a list of some thousand keyed items would otherwise be searched for every one.
    """

    def __init__(self, fields: Fields) -> None:
        self.fields = fields
        self._elements: dict[int, _Elements] = {}
        self._names: dict[int, Names] = {}

    @classmethod
    def of(cls, raw: Raw) -> FieldSet | None:
        """Decode it; None when it is no object."""
        try:
            return cls(_FIELDS.decode(raw))
        except msgspec.DecodeError:
            return None

    def standing(self, names: Sequence[str]) -> Standing:
        """How the manager stands to the leaf at the end of these names, which somebody owns.

        So what is around it is no leaf: who owns no more than that owns nothing below.
        """
        node = self.fields
        for name in names:
            known = self._names.get(id(node))
            if known is None:  # the node is part of ``fields``: its id stays its own
                known = self._names[id(node)] = Names(node)
            child = known.child(name)
            if type(child) is not dict:
                return Standing.STRANGER
            node = child
        return Standing.INSIDER if node else Standing.OWNER

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
        return canonical(items[position]) in elements.by_value

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
            return node.get(f"{FIELD}{key}") if key in container else None
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
        if name.startswith(INDEX):
            self._by_position[name[2:]] = child
        elif name.startswith(VALUE):
            value = canonical_text(name[2:])
            if value is not None:
                self.by_value.setdefault(value, child)
        elif name.startswith(KEYED):
            keys = open_keys(name[2:].encode())
            if keys:
                shape = tuple(sorted(keys))
                self.members.update(shape)
                found = self._by_shape.setdefault(shape, {})
                found.setdefault(tuple(canonical(keys[member]) for member in shape), child)

    def child(self, item: Value, position: int) -> Any | None:
        """The node of an item; None when no element names it."""
        found = self._by_position.get(str(position)) if self._by_position else None
        if found is None and self._by_shape:
            members = opened(item)
            if isinstance(members, dict):
                for shape, nodes in self._by_shape.items():
                    if found is None and all(member in members for member in shape):
                        found = nodes.get(tuple(canonical(members[member]) for member in shape))
        if found is None and self.by_value:
            found = self.by_value.get(canonical(item))
        return found


def within(part: Fields | None, whole: Fields | None) -> bool:
    """True when every field of ``part`` is one of ``whole``. A leaf owns all below it, so only a leaf holds one."""
    if type(part) is not dict or type(whole) is not dict:
        return False
    if not part or not whole:
        return part == whole
    return all(name in whole and within(child, whole[name]) for name, child in part.items())
