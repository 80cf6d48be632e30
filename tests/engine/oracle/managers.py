"""``managedFields``: who owns what, and what pruning leaves of it."""

from __future__ import annotations

from tests.engine.build import Json, exact
from tests.engine.oracle.paths import Trail


def owns_leaf(node: Json, value: Json, trail: Trail) -> bool:
    for key in trail:
        child = child_of(node, value, key)
        if child == {}:
            return True
        if not isinstance(child, dict):
            return False
        node, value = child, value[key]
    return False


def child_of(node: Json, value: Json, key: str | int) -> Json:
    if not isinstance(node, dict):
        return None
    if isinstance(key, str):
        return node.get(f"f:{key}")
    return next((child for name, child in node.items() if names_item(name, value[key], key)), None)


def names_item(name: str, item: Json, position: int) -> bool:
    kind, body = name[:2], name[2:]
    if kind == "i:":
        return body == str(position)
    try:
        wanted = exact(body)
    except ValueError:
        return False
    if kind == "v:":
        return bool(wanted == item)
    return kind == "k:" and isinstance(item, dict) and all(n in item and item[n] == v for n, v in wanted.items())


class AmbiguousError(Exception):
    """Several items have the name of one element, and one of them changed: nobody can say whose it is."""


def pruned(node: Json, before: Json, after: Json) -> Json:
    """A ``fieldsV1`` node without what was in ``before`` and is not in ``after``; None when nothing is left of it."""
    if not isinstance(node, dict) or not node or before == after:
        return node
    if isinstance(after, dict) and isinstance(before, dict):
        children = {name: _pruned_member(name, child, before, after) for name, child in node.items()}
    elif isinstance(after, list) and isinstance(before, list):
        children = {name: _pruned_item(name, child, before, after) for name, child in node.items()}
    else:
        return node
    left = {name: child for name, child in children.items() if child is not None}
    if left == node:
        return node
    return None if not left else {} if left.keys() == {"."} else left


def _pruned_member(name: str, child: Json, before: Json, after: Json) -> Json:
    member = name[2:]
    if not name.startswith("f:") or member not in before:
        return child
    return pruned(child, before[member], after[member]) if member in after else None


def _pruned_item(name: str, child: Json, before: list[Json], after: list[Json]) -> Json:
    if name.startswith("i:"):
        return child if len(before) == len(after) or (name[2:].isdigit() and int(name[2:]) < len(after)) else None
    old = [item for n, item in enumerate(before) if names_item(name, item, n)]
    new = [item for n, item in enumerate(after) if names_item(name, item, n)]
    if not new:
        return None if old else child
    if len(old) > 1 and (new[0] not in old or len(new) == len(old)) and new != old:
        raise AmbiguousError(name)
    if not old or new[0] in old:
        return child
    return pruned(child, old[0], new[0])
