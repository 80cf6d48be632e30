"""Edits as JSON Patch operations on the object as it was sent. Two documents are never compared to find a patch."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from msgspec import Raw

from admission.engine.decision import Op
from admission.engine.edit import Edit
from admission.engine.places import token
from admission.engine.values import Container, List, Object, Value, encode

_OP_OVERHEAD: Final = len('{"op":"remove","path":""},')
_VALUE_OVERHEAD: Final = len('"value":,') + len("replace") - len("remove")
_BELOW_A_ROOT: Final = 2  # names in a pointer; a root that is an object is never replaced


def operations_of(edit: Edit, value: Value, here: str = "") -> list[Op]:
    """The operations that change what was sent into ``value``: of all that say it those that take the fewest bytes."""
    if edit.replaced:
        return [Op("replace", here, encode(value))]
    if isinstance(value, dict):
        return _object_operations(edit, value, here)
    assert isinstance(value, list), "only containers have edits below them"  # noqa: S101
    return _list_operations(edit, value, here)


def _object_operations(edit: Edit, members: Object, here: str) -> list[Op]:
    operations = [Op("remove", f"{here}/{token(key)}") for key in edit.gone]
    for key, child in edit.children.items():
        if key in members:
            operations += operations_of(child, members[key], f"{here}/{token(key)}")
    if len(edit.gone) < 2 or here.count("/") < _BELOW_A_ROOT:
        return operations
    return _the_shorter(operations, members, members.values(), here)


def _list_operations(edit: Edit, items: List, here: str) -> list[Op]:
    kept = edit.kept if edit.kept is not None else range(len(items))
    removed = sorted(edit.gone, reverse=True)
    operations = [Op("remove", f"{here}/{position}") for position in removed]
    if edit.children:
        for position, origin in enumerate(kept):
            child = edit.children.get(origin)
            if child is not None:
                operations += operations_of(child, items[position], f"{here}/{position}")
    if len(operations) < 2:
        return operations  # one operation inside the list is never longer than the list
    return _the_shorter(operations, items, items, here)


def _the_shorter(operations: list[Op], container: Container, members: Collection[Value], here: str) -> list[Op]:
    """The operations, or one that replaces the container when that takes fewer bytes."""
    spent = cost(operations)
    if sum([len(member) for member in members if type(member) is Raw]) >= spent:
        return operations  # what is left is longer, seen without writing it
    whole = Op("replace", here, encode(container))
    return [whole] if cost([whole]) < spent else operations


def cost(operations: Sequence[Op]) -> int:
    """Bytes that operations take in a patch, about: paths are counted unescaped."""
    values = [len(operation.value) for operation in operations if operation.value is not None]
    paths = sum([len(operation.path) for operation in operations])
    return _OP_OVERHEAD * len(operations) + paths + _VALUE_OVERHEAD * len(values) + sum(values)
