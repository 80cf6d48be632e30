"""Field ownership: what the review's ``managedFields`` say, and keeping them in step with a trim.

Two duties. First, invariant I11: a value that several managers own as one leaf, one of them through server-side
apply, must not change, or the applier gets a 409 on every later apply. Second, pruning: the API server computed the
ownership before it called us, so what a trim removes would stay in ``fieldsV1`` for ever and the object would keep
growing by one entry a write.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final, TypeAlias

import msgspec
from msgspec import Raw

from admission.engine.decision import Op
from admission.engine.edit import Edit
from admission.engine.elements import Fields
from admission.engine.fieldset import FieldSet, Standing
from admission.engine.measure import stored_size
from admission.engine.pruning import may_own_inside, pruned, removes, removes_members
from admission.engine.values import (
    Container,
    Key,
    Object,
    Trail,
    Value,
    encode,
    is_null,
    opened,
)

Identity: TypeAlias = tuple[str, str, str, str]
"""Manager, operation, apiVersion and subresource."""

APPLY: Final = "Apply"
_APPLY: Final = APPLY.encode()
_ELEMENTS: Final = (b'"k:', b'"v:', b'"i:')
_VALUES: Final = b'"v:'
_WRITTEN_OTHERWISE: Final = b"\\u"
"""A name with an escape in it may be any name."""
_MANY: Final = 2
_FEW: Final = 16
_QUOTED: Final = re.compile(rb'\\"([0-9A-Za-z]+)(?=\\")')


def may_hold(data: bytes, text: bytes) -> bool:
    """False when a plain text is nowhere in JSON bytes; where something is escaped, it may be that text."""
    return text in data or _WRITTEN_OTHERWISE in data


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
_MEMBERS: Final = msgspec.json.Decoder(dict[str, Raw])
_RAW_ENTRIES: Final = msgspec.json.Decoder(list[Raw])


class Ownership:
    """The managers of one object. Broken or missing ``managedFields`` own nothing.

    They can be long, and mostly nobody applies and nobody names items one by one: the bytes of the metadata tell that
    before anything is decoded.
    """

    def __init__(self, metadata: Value | None) -> None:
        """Read ``managedFields`` of an object's ``metadata``, when they are asked for."""
        self._metadata = metadata
        self._decoded: dict[int, FieldSet | None] = {}
        self._naming: dict[str, bool] = {}

    @classmethod
    def of(cls, members: Object | None) -> Ownership:
        """Read ``metadata.managedFields`` of an object."""
        return cls(None if members is None else members.get("metadata"))

    @cached_property
    def raw(self) -> Raw | None:
        """The bytes of ``managedFields``; None when there are none."""
        return managed_fields(self._metadata)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """One entry a manager."""
        return () if self._read is None else self._read

    @cached_property
    def raw_entries(self) -> Sequence[Raw]:
        """The bytes of every entry."""
        return () if self.raw is None else _RAW_ENTRIES.decode(self.raw)

    @property
    def readable(self) -> bool:
        """False when they are there and broken."""
        return self._read is not None

    @cached_property
    def _read(self) -> tuple[Entry, ...] | None:
        if self.raw is None:
            return ()
        try:
            return tuple(_ENTRIES.decode(self.raw))
        except msgspec.DecodeError:
            return None

    @property
    def appliers(self) -> dict[Identity, int]:
        """The managers that use server-side apply, and the position of their entry."""
        return {entry.identity: position for position, entry in enumerate(self.entries) if entry.operation == APPLY}

    @property
    def contested(self) -> bool:
        """True when co-ownership is possible at all: several managers, one of them an applier."""
        return self._applied and len(self.entries) >= _MANY and APPLY in [entry.operation for entry in self.entries]

    def field_set(self, position: int) -> FieldSet | None:
        """What the manager at ``position`` owns; None when it cannot be decoded."""
        if position not in self._decoded:
            self._decoded[position] = FieldSet.of(self.entries[position].fields_v1)
        return self._decoded[position]

    def fields(self, position: int) -> Fields | None:
        """The decoded ``fieldsV1`` of the manager at ``position``."""
        found = self.field_set(position)
        return None if found is None else found.fields

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
        found = self.field_set(position)
        return found is not None and found.owns_as_leaf(trail, root)

    def standing(self, position: int, names: Sequence[str]) -> Standing:
        """How the manager at ``position`` stands to a leaf, told by the names of elements that lead to it."""
        found = self.field_set(position)
        return Standing.STRANGER if found is None else found.standing(names)

    def names_items_by(self, trail: Trail, key: Key, root: Container) -> bool:
        """True when some manager tells the items of the list at ``trail`` apart by what is at ``key``."""
        if not self._names_items or not (self._names_values if isinstance(key, int) else self._may_name_by(key)):
            return False
        sets = map(self.field_set, range(len(self.entries)))
        return any(found is not None and found.names_items_by(trail, key, root) for found in sets)

    def names_by_value(self, trail: Trail, position: int, root: Container) -> bool:
        """True when some manager names the item at ``position`` of the list at ``trail`` by all that it is."""
        if not self._names_values:
            return False
        sets = map(self.field_set, range(len(self.entries)))
        return any(found is not None and found.names_by_value(trail, position, root) for found in sets)

    @cached_property
    def _bytes(self) -> bytes:
        return b"" if self._metadata is None else encode(self._metadata)

    @cached_property
    def _applied(self) -> bool:
        """False when nobody applies."""
        return may_hold(self._bytes, _APPLY)

    @cached_property
    def _names_items(self) -> bool:
        """False when nobody owns items one by one."""
        data = self._bytes  # four searches for a text take a tenth of one for a pattern
        return any(element in data for element in _ELEMENTS) or _WRITTEN_OTHERWISE in data

    @cached_property
    def _names_values(self) -> bool:
        """False when nobody owns the items of a set."""
        return may_hold(self._bytes, _VALUES)

    def _may_name_by(self, member: str) -> bool:
        """False when nobody tells items of any list apart by this member: a key stands escaped in its element."""
        found = self._naming.get(member)
        if found is None:
            plain = member.isascii() and member.isalnum() and not self._escapes
            found = self._naming[member] = not plain or self._quotes(member)
        return found

    def _quotes(self, member: str) -> bool:
        """True when a plain name stands quoted in an element. A search is cheap, one for each of thousands is not."""
        if len(self._naming) < _FEW:
            return f'\\"{member}\\"'.encode() in self._bytes
        return member.encode() in self._quoted

    @cached_property
    def _escapes(self) -> bool:
        return _WRITTEN_OTHERWISE in self._bytes

    @cached_property
    def _quoted(self) -> frozenset[bytes]:
        return frozenset(_QUOTED.findall(self._bytes))

    def pruned(self, edits: Edit, result: Container) -> dict[int, Fields]:
        """``fieldsV1`` of every entry that owns something that the edits removed, without it; by position."""
        found: dict[int, Fields] = {}
        if not removes(edits) or not (self._names_items or removes_members(edits)):
            return found
        for position, entry in enumerate(self.entries):
            fields = self.fields(position) if may_own_inside(entry.fields_v1, edits) else None
            if fields is None:
                continue
            kept = pruned(fields, edits, result)
            if kept is not fields:
                found[position] = kept if kept is not None else {}
        return found

    def after(self, operations: Iterable[Op]) -> Raw | None:
        """The bytes of ``managedFields`` when operations have changed them; None when there are none."""
        entries = list(self.raw_entries)
        for operation in operations:
            if operation.path == MANAGED_FIELDS:
                return None if operation.value is None else Raw(operation.value)
            position = int(operation.path.removeprefix(MANAGED_FIELDS).split("/")[1])
            if operation.value is None:
                del entries[position]
            else:
                entries[position] = with_fields(entries[position], Raw(operation.value))
        return None if self.raw is None else Raw(msgspec.json.encode(entries))

    def bytes_saved(self, operation: Op) -> int:
        """The bytes, as stored, that an operation takes: it replaces fields or all, or removes one of the entries."""
        after = 0 if operation.value is None else stored_size(operation.value)
        if operation.path == MANAGED_FIELDS:
            return stored_size(self.raw or b"") - after
        position = int(operation.path.removeprefix(MANAGED_FIELDS).split("/")[1])
        if operation.value is None:
            return stored_size(self.raw_entries[position]) + len(",")
        return stored_size(bytes(self.entries[position].fields_v1)) - after


MANAGED_FIELDS: Final = "/metadata/managedFields"


def prune_operations(pruned: Mapping[int, Fields]) -> list[Op]:
    """The operations that write pruned ``fieldsV1`` back."""
    return [
        Op("replace", f"{MANAGED_FIELDS}/{position}/fieldsV1", msgspec.json.encode(fields))
        for position, fields in pruned.items()
    ]


def with_fields(entry: Raw, fields: Raw) -> Raw:
    """An entry with other ``fieldsV1``."""
    return Raw(msgspec.json.encode(_MEMBERS.decode(entry) | {"fieldsV1": fields}))


def bytes_saved(ownership: Ownership, operations: Iterable[Op]) -> int:
    """The bytes, as stored, that operations take from the ``managedFields``."""
    return sum(map(ownership.bytes_saved, operations))


def managed_fields(metadata: Value | None) -> Raw | None:
    """The bytes of ``managedFields`` in the metadata of an object, or None."""
    if metadata is None:
        return None
    members = opened(metadata)
    if not isinstance(members, dict):
        return None
    value = members.get("managedFields")
    return None if is_null(value) or value is None else Raw(encode(value))


def with_managed_fields(members: Object, value: Raw | None) -> Object:
    """The members of an object with other ``managedFields``; None takes them away."""
    metadata = opened(members.get("metadata", Raw(b"{}")))
    if not isinstance(metadata, dict):
        return members
    rest = {name: value for name, value in metadata.items() if name != "managedFields"}
    return {**members, "metadata": rest if value is None else {**rest, "managedFields": value}}
