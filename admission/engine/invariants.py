"""The invariants that are re-checked after every evaluation that changed something.

The check reads the submitted bytes anew and replays the patch on its own copy of the containers that it touches, so
that a fault in the working copy cannot hide itself. What it compares is what the API server would make of the patch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from msgspec import Raw

from admission.engine.condition import types_of
from admission.engine.decision import Op
from admission.engine.document import Document
from admission.engine.licence import Licence
from admission.engine.measure import stored_size
from admission.engine.ownership import MANAGED_FIELDS
from admission.engine.values import (
    Container,
    Key,
    List,
    Object,
    Trail,
    Value,
    encode,
    open_child,
    opened,
    pointer,
    text_of,
)

_OBJECT: Final = "object"


@dataclass(frozen=True, slots=True)
class Broken:
    """One invariant that does not hold."""

    invariant: str
    detail: str


class DoesNotApplyError(Exception):
    """An operation is not certain to apply."""


def broken(document: Document, operations: Sequence[Op], licence: Licence) -> Broken | None:
    """The first invariant that the patch would break, or None.

    Raises:
        DocumentError: the submitted bytes cannot be read.
    """
    outside = next((op for op in operations if not _inside(op.path, document.root)), None)
    if outside is not None:
        return Broken("I1", f"{outside.op} {outside.path} is outside /{document.root}")
    try:
        shadow = replay(document.submitted, operations)
    except DoesNotApplyError as error:
        return Broken("I2", str(error))
    before, after = document.submitted_root, shadow.get(document.root)
    if before is None or after is None or encode(after) != encode(document.object[document.root]):
        return Broken("I2", "the patch does not lead to the result of the evaluation")
    if document.root_size() > document.size(before):
        return Broken("I5", f"{document.root} got bigger")
    return _not_a_trim(before, after, (document.root,), licence)


def replay(submitted: Raw, operations: Iterable[Op]) -> Object:
    """The object that a strict reader makes of the patch: only the containers on the way are opened.

    Raises:
        DoesNotApplyError: an operation is not certain to apply.
    """
    holder: Object = {_OBJECT: submitted}
    parent, container = "", open_child(holder, _OBJECT)
    for operation in operations:
        above, _, last = operation.path.rpartition("/")
        if above != parent:
            parent, container = above, _container(holder, above)
        if container is None:
            raise DoesNotApplyError(f"{operation.path} leads into a scalar")
        _apply(container, _key(container, last, operation.path), operation)
    inside = open_child(holder, _OBJECT)
    if not isinstance(inside, dict):
        raise DoesNotApplyError("the object is no JSON object")
    return inside


def _apply(container: Container, key: Key, operation: Op) -> None:
    if operation.op == "remove":
        del container[key]  # type: ignore[arg-type]
    elif operation.op == "replace" and operation.value is not None:
        container[key] = Raw(operation.value)  # type: ignore[index]
    else:
        raise DoesNotApplyError(f"{operation.op} {operation.path}: only replace and remove are certain to apply")


def _container(holder: Object, path: str) -> Container | None:
    """The container that a pointer leads to; None when there is a scalar on the way."""
    container = open_child(holder, _OBJECT)
    for token in path.split("/")[1:]:
        if container is None:
            return None
        container = open_child(container, _key(container, token, path))
    return container


def _key(container: Container, token: str, path: str) -> Key:
    if isinstance(container, dict):
        name = token.replace("~1", "/").replace("~0", "~") if "~" in token else token
        if name not in container:
            raise DoesNotApplyError(f"{path}: no member {name!r}")
        return name
    if not token.isascii() or not token.isdigit() or int(token) >= len(container):
        raise DoesNotApplyError(f"{path}: no item {token}")
    return int(token)


def _inside(path: str, root: str) -> bool:
    return path.startswith((f"{pointer((root,))}/", f"{MANAGED_FIELDS}/"))


# --- what may differ between before and after ------------------------------------------------------------------------


def _not_a_trim(before: Value, after: Value, trail: Trail, licence: Licence) -> Broken | None:
    """What is wrong when ``after`` is not ``before`` with only licensed things missing or cut."""
    if type(before) is Raw and type(after) is Raw and before == after:
        return None
    left, right = opened(before), opened(after)
    if isinstance(left, dict) and isinstance(right, dict):
        return _members_differ(left, right, trail, licence)
    if isinstance(left, list) and isinstance(right, list):
        return _items_differ(left, right, trail, licence)
    if left is None and right is None and (encode(before) == encode(after) or _is_cut(before, after, trail, licence)):
        return None
    return Broken("I6", f"{pointer(trail)} changed")


def _is_cut(before: Value, after: Value, trail: Trail, licence: Licence) -> bool:
    texts = text_of(before) is not None and text_of(after) is not None
    return texts and licence.cuts(trail) and stored_size(encode(after)) <= stored_size(encode(before))


def _members_differ(left: Object, right: Object, trail: Trail, licence: Licence) -> Broken | None:
    if left.keys() != right.keys():
        return Broken("I6", f"{pointer(trail)} lost or gained a field")
    found = (_not_a_trim(value, right[key], (*trail, key), licence) for key, value in left.items())
    return next((fault for fault in found if fault is not None), None)


def _items_differ(left: List, right: List, trail: Trail, licence: Licence) -> Broken | None:
    if len(left) != len(right) and not licence.shrinks(trail):
        return Broken("I6", f"items of {pointer(trail)} are missing")
    stray = _stray_item(left, right, trail, licence)
    if stray is not None:
        return Broken("I6", f"{pointer((*trail, stray))} is none of the items that were sent, or out of order")
    if len(left) == len(right) or not licence.is_conditions(trail):
        return None
    gone = set(types_of(left).values()) - set(types_of(right).values())
    missing = next((name for name in sorted(gone) if not licence.may_leave(trail, name)), None)
    return None if missing is None else Broken("I7", f"the last condition of type {missing!r} left {pointer(trail)}")


def _stray_item(left: List, right: List, trail: Trail, licence: Licence) -> int | None:
    """The position in ``right`` of an item that is not, in order, a trim of an item of ``left``."""
    candidates: list[Value | None] = list(left)
    at, any_order = 0, licence.reorders(trail)
    for position, item in enumerate(right):
        found = _origin(candidates, 0 if any_order else at, item, (*trail, position), licence)
        if found is None:
            return position
        candidates[found] = None
        at = found + 1
    return None


def _origin(candidates: Sequence[Value | None], start: int, item: Value, trail: Trail, licence: Licence) -> int | None:
    """Where an item comes from: first a twin to the byte (the usual case, and cheap), then one that was cut inside."""
    positions = range(start, len(candidates))
    if type(item) is Raw:
        twin = next((i for i in positions if type(candidates[i]) is Raw and candidates[i] == item), None)
        if twin is not None:
            return twin
    for position in positions:
        candidate = candidates[position]
        if candidate is not None and _not_a_trim(candidate, item, trail, licence) is None:
            return position
    return None
