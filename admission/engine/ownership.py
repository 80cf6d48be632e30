"""Field ownership: what the review's ``managedFields`` say, and keeping them in step with a trim.

Two duties. First, invariant I11: a value that several managers own as one leaf, one of them through server-side
apply, must not change, or the applier gets a 409 on every later apply. Second, pruning: the API server computed the
ownership before it called us, so what a trim removes would stay in ``fieldsV1`` for ever and the object would keep
growing by one entry a write (KEP-555 describes the format: ``f:name``, ``k:{json}``, ``v:json``, ``i:n``, ``.``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec
from msgspec import Raw

from admission.engine.decision import Op
from admission.engine.values import (
    Container,
    Key,
    List,
    Object,
    Trail,
    Value,
    encode,
    is_null,
    open_child,
    opened,
    same,
)

if TYPE_CHECKING:
    from admission.engine.document import Edit

Fields: TypeAlias = dict[str, Any]
"""A decoded ``fieldsV1``: nested dicts; ``{}`` is a leaf."""

Identity: TypeAlias = tuple[str, str, str, str]
"""Manager, operation, apiVersion and subresource."""

APPLY: Final = "Apply"
_SELF: Final = "."
_FIELD, _KEYED, _VALUE, _INDEX = "f:", "k:", "v:", "i:"
_MANY: Final = 2


class Entry(msgspec.Struct, frozen=True, rename="camel"):
    """One entry of ``metadata.managedFields``."""

    manager: str = ""
    operation: str = ""
    api_version: str = ""
    subresource: str = ""
    time: str = ""
    fields_v1: Raw = msgspec.field(name="fieldsV1", default=Raw(b"{}"))

    @property
    def identity(self) -> Identity:
        """What makes two entries the same manager to the API server."""
        return self.manager, self.operation, self.api_version, self.subresource


_ENTRIES: Final = msgspec.json.Decoder(list[Entry])
_RAW_ENTRIES: Final = msgspec.json.Decoder(list[Raw])
_FIELDS: Final = msgspec.json.Decoder(Fields)


@dataclass(slots=True)
class Ownership:
    """The managers of one object. Broken or missing ``managedFields`` own nothing."""

    raw: Raw | None
    entries: tuple[Entry, ...]
    readable: bool = True
    _decoded: dict[int, Fields | None] = field(default_factory=dict)

    @classmethod
    def of(cls, members: Object | None) -> Ownership:
        """Read ``metadata.managedFields`` of an object."""
        raw = managed_fields(members)
        if raw is None:
            return cls(None, ())
        try:
            return cls(raw, tuple(_ENTRIES.decode(raw)))
        except msgspec.DecodeError:
            return cls(raw, (), readable=False)

    @property
    def appliers(self) -> dict[Identity, int]:
        """The managers that use server-side apply, and the position of their entry."""
        return {entry.identity: position for position, entry in enumerate(self.entries) if entry.operation == APPLY}

    @property
    def contested(self) -> bool:
        """True when co-ownership is possible at all: several managers, one of them an applier."""
        return len(self.entries) >= _MANY and any(entry.operation == APPLY for entry in self.entries)

    def fields(self, position: int) -> Fields | None:
        """The decoded ``fieldsV1`` of an entry; None when it cannot be decoded."""
        if position not in self._decoded:
            try:
                self._decoded[position] = _FIELDS.decode(self.entries[position].fields_v1)
            except msgspec.DecodeError:
                self._decoded[position] = None
        return self._decoded[position]

    def co_owned(self, trail: Trail, root: Container) -> bool:
        """True when two managers, one of them an applier, own the value at ``trail`` as (part of) one leaf."""
        if not self.contested:
            return False
        appliers, others = self._appliers_and_others
        owners = sum(self.owns(position, trail, root) for position in appliers)
        if owners == 0:  # the usual case: who applies owns the spec, and the long walk through the status is spared
            return False
        return owners >= _MANY or any(self.owns(position, trail, root) for position in others)

    @property
    def _appliers_and_others(self) -> tuple[list[int], list[int]]:
        appliers = [position for position, entry in enumerate(self.entries) if entry.operation == APPLY]
        return appliers, [position for position in range(len(self.entries)) if position not in appliers]

    def owns(self, position: int, trail: Trail, root: Container) -> bool:
        """True when the manager at ``position`` owns the value at ``trail`` as (part of) one leaf."""
        return _owns_as_leaf(self.fields(position), trail, root)

    def is_list_key(self, trail: Trail, key: str, root: Container) -> bool:
        """True when some manager names items of the list at ``trail`` by their member ``key``."""
        return any(
            name.startswith(_KEYED) and key in (_open_keys(name[2:].encode()) or ())
            for position in range(len(self.entries))
            for name in _node_at(self.fields(position), trail, root)
        )

    def pruned(self, edits: Edit, result: Container) -> dict[int, Fields]:
        """``fieldsV1`` of every entry that owns something that the edits removed, without it; by position."""
        found: dict[int, Fields] = {}
        if not removes(edits):
            return found
        for position, entry in enumerate(self.entries):
            fields = self.fields(position) if _may_own_inside(entry.fields_v1, edits) else None
            if fields is None:
                continue
            kept = _pruned(fields, edits, result)
            if kept is not fields:
                found[position] = kept if kept is not None else {}
        return found


MANAGED_FIELDS: Final = "/metadata/managedFields"


def prune_operations(pruned: Mapping[int, Fields]) -> list[Op]:
    """The operations that write pruned ``fieldsV1`` back."""
    return [
        Op("replace", f"{MANAGED_FIELDS}/{position}/fieldsV1", msgspec.json.encode(fields))
        for position, fields in pruned.items()
    ]


def may_restore(submitted: Ownership, stored: Ownership, pruned: Mapping[int, Fields], writer: str | None) -> bool:
    """True when putting the stored ``managedFields`` back loses nothing.

    What an applier claims in this write must be what it owned before; otherwise a claim would be erased, and with it,
    at the applier's next apply, somebody's field. So it is with the first claim of a manager that the stored object
    does not know. A manager that updates may be missing: two controllers that write one untrimmed list in turns take
    it from each other, and to the API server an update that changes nothing is no claim. For the same reason an
    applier from whom ``writer`` (a field manager) took something gets it back, or its next apply would be a conflict,
    and then the writer's claim, new or not, is none either. When nobody tells who writes, the applier itself may have
    let go of something, and that is to be kept.
    """
    if not (submitted.readable and stored.readable) or (submitted.raw is None) != (stored.raw is None):
        return False
    sent = {identity: pruned.get(at, submitted.fields(at)) for identity, at in submitted.appliers.items()}
    before = {identity: stored.fields(at) for identity, at in stored.appliers.items()}
    changed = {identity for identity in sent.keys() | before.keys() if sent.get(identity) != before.get(identity)}
    if not changed:
        known = {entry.identity for entry in stored.entries}
        return all(entry.identity in known for entry in submitted.entries)
    return writer is not None and all(
        identity[0] != writer and identity in before and _lost_some(sent.get(identity), before[identity])
        for identity in changed
    )


def _lost_some(part: Fields | None, whole: Fields | None) -> bool:
    """True when every field of ``part`` (None: the entry is gone) is one of ``whole``."""
    return part is None or _within(part, whole)


def _within(part: Fields | None, whole: Fields | None) -> bool:
    if type(part) is not dict or type(whole) is not dict:
        return False
    if not part or not whole:  # a leaf owns all that is below it: it is within a leaf only
        return part == whole
    return all(name in whole and _within(child, whole[name]) for name, child in part.items())


def restore_operations(submitted: Ownership, stored: Ownership) -> list[Op]:
    """The fewest bytes that turn the submitted ``managedFields`` into the stored ones, entry by entry.

    Together with the stored status this makes a write a no-op whatever the number of managers; the API server
    compares entries by index, so their order is restored too.
    """
    if submitted.raw is None or stored.raw is None or submitted.raw == stored.raw:
        return []
    if len(submitted.entries) != len(stored.entries):
        return [Op("replace", MANAGED_FIELDS, bytes(stored.raw))]
    raws = zip(_RAW_ENTRIES.decode(submitted.raw), _RAW_ENTRIES.decode(stored.raw), strict=True)
    return [
        _restored_entry(position, submitted.entries[position], stored.entries[position], raw)
        for position, (sent, raw) in enumerate(raws)
        if sent != raw
    ]


def _restored_entry(position: int, sent: Entry, stored: Entry, raw: Raw) -> Op:
    here = f"{MANAGED_FIELDS}/{position}"
    if sent.identity == stored.identity and sent.fields_v1 == stored.fields_v1 and sent.time and stored.time:
        return Op("replace", f"{here}/time", msgspec.json.encode(stored.time))
    return Op("replace", here, bytes(raw))


def managed_fields(members: Object | None) -> Raw | None:
    """The bytes of ``metadata.managedFields``, or None."""
    if members is None or "metadata" not in members:
        return None
    metadata = opened(members["metadata"])
    if not isinstance(metadata, dict):
        return None
    value = metadata.get("managedFields")
    return None if is_null(value) or value is None else Raw(encode(value))


def removes(edits: Edit) -> bool:
    """True when the edits removed an item or a member somewhere, or cut an item of a set (a cut member stays owned)."""
    return bool(edits.gone or edits.displaced) or any(map(removes, edits.children.values()))


# --- walking fieldsV1 beside an object -------------------------------------------------------------------------------


def _owns_as_leaf(fields: Fields | None, trail: Trail, root: Container) -> bool:
    node, container = fields, root
    for key in trail:
        if not isinstance(node, dict) or not _holds(container, key):
            return False
        child = _child(node, container, key)
        if child is None:
            return False
        if not child:
            return True
        node = child
        inside = open_child(container, key)
        if inside is None:
            return False
        container = inside
    return False


def _node_at(fields: Fields | None, trail: Trail, root: Container) -> Fields:
    """The node of ``fieldsV1`` for the value at ``trail``; empty when there is none."""
    node, container = fields, root
    for key in trail:
        if type(node) is not dict or not _holds(container, key):
            return {}
        node = _child(node, container, key)
        inside = open_child(container, key)
        if inside is None:
            return {}
        container = inside
    return node if type(node) is dict else {}


def _holds(container: Container, key: Key) -> bool:
    if isinstance(container, dict):
        return key in container
    return isinstance(key, int) and 0 <= key < len(container)


def _child(node: Fields, container: Container, key: Key) -> Fields | None:
    if isinstance(container, dict):
        return node.get(f"{_FIELD}{key}")
    item = container[key]  # type: ignore[index]
    for name, child in node.items():
        if name.startswith(_INDEX):
            if name == f"{_INDEX}{key}":
                return child  # type: ignore[no-any-return]
        elif name != _SELF and _names(name)(item):
            return child  # type: ignore[no-any-return]
    return None


def _names(name: str) -> Callable[[Value], bool]:
    """The test whether an item is the one that a ``k:`` or ``v:`` element names."""
    body = name[2:].encode()
    if name.startswith(_VALUE):
        return lambda item: _same_json(item, body)
    if not name.startswith(_KEYED):
        return lambda item: False
    keys = _open_keys(body)
    if keys is None:
        return lambda item: False
    return lambda item: _has_members(item, keys)


def _open_keys(body: bytes) -> Object | None:
    try:
        return msgspec.json.decode(body, type=dict[str, Raw])  # type: ignore[return-value]  # dict is invariant
    except msgspec.DecodeError:
        return None


def _same_json(item: Value, body: bytes) -> bool:
    try:
        return same(item, msgspec.json.decode(body, type=Raw))
    except msgspec.DecodeError:
        return False


def _has_members(item: Value, keys: Object) -> bool:
    members = opened(item)
    return isinstance(members, dict) and all(
        key in members and same(members[key], value) for key, value in keys.items()
    )


# --- pruning ---------------------------------------------------------------------------------------------------------


_LEAF: Final = Raw(b"{}")
_LEVEL: Final = msgspec.json.Decoder(dict[str, Raw])


def _may_own_inside(fields: Raw, edit: Edit) -> bool:
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
        if inside is not None and removes(child) and (inside is fields or _may_own_inside(inside, child)):
            return True
    return False


def _pruned(node: Fields, edit: Edit, value: Value) -> Fields | None:
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
    return child if inner is None or key not in members else _pruned(child, inner, members[key])


def _pruned_items(node: Fields, edit: Edit, items: List) -> dict[str, Fields | None]:
    kept = edit.kept if edit.kept is not None else range(len(items))
    left, gone = _Lookup(items), _Lookup((*edit.gone.values(), *edit.displaced))
    children: dict[str, Fields | None] = {}
    for name, child in node.items():
        if name.startswith((_KEYED, _VALUE)):
            position = left.position(name)
            if position is not None:
                inner = edit.children.get(kept[position])
                children[name] = child if inner is None else _pruned(child, inner, items[position])
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


def _canonical(value: Value) -> bytes:
    """A value as bytes that are equal when the values are, however they were written."""
    return msgspec.json.encode(msgspec.json.decode(encode(value)), order="deterministic")
