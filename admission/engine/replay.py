"""A patch as a strict reader applies it: to its own copy of the containers that it touches, and to nothing else.

Only what is certain to apply on every API server is applied: ``replace`` and ``remove`` of what is there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Raw

from admission.engine.decision import Op
from admission.engine.sent import Sent
from admission.engine.values import Container, Key, Object

_OBJECT: Final = "object"
_POSITIONS: Final = {str(position): position for position in range(4096)}  # cheaper to look up than to read


class DoesNotApplyError(Exception):
    """An operation is not certain to apply."""


def replay(submitted: Raw, operations: Iterable[Op], sent: Sent | None = None) -> Object:
    """The object that a strict reader makes of the patch: only the containers on the way are opened.

    Raises:
        DoesNotApplyError: an operation is not certain to apply.
    """
    sent = sent or Sent()
    holder: Object = {_OBJECT: submitted}
    parent, container = "", sent.open_copy(holder, _OBJECT)
    for operation in operations:
        above, _, last = operation.path.rpartition("/")
        if above != parent:
            parent, container = above, _container(sent, holder, above)
        if container is None:
            raise DoesNotApplyError(f"{operation.path} leads into a scalar")
        key: Key | None = _POSITIONS.get(last) if type(container) is list else None
        if key is None or key >= len(container):  # type: ignore[operator]  # what is looked up is a position
            key = _key(container, last, operation.path)
        if operation.op == "remove":
            del container[key]  # type: ignore[arg-type]
        elif operation.op == "replace" and operation.value is not None:
            container[key] = Raw(operation.value)  # type: ignore[index]
        else:
            raise DoesNotApplyError(f"{operation.op} {operation.path}: only replace and remove are certain to apply")
    inside = sent.open_copy(holder, _OBJECT)
    if not isinstance(inside, dict):
        raise DoesNotApplyError("the object is no JSON object")
    return inside


def _container(sent: Sent, holder: Object, path: str) -> Container | None:
    """The container that a pointer leads to; None when there is a scalar on the way."""
    container = sent.open_copy(holder, _OBJECT)
    for token in path.split("/")[1:]:
        if container is None:
            return None
        container = sent.open_copy(container, _key(container, token, path))
    return container


def _key(container: Container, token: str, path: str) -> Key:
    if type(container) is list:
        position = _POSITIONS.get(token)
        if position is None:
            position = int(token) if token.isdecimal() and token.isascii() else len(container)
        if position >= len(container):
            raise DoesNotApplyError(f"{path}: no item {token}")
        return position
    name = token.replace("~1", "/").replace("~0", "~") if "~" in token else token
    if name not in container:
        raise DoesNotApplyError(f"{path}: no member {name!r}")
    return name
