"""What is left of ``fieldsV1`` when edits have removed some of what it owns."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Raw

from admission.engine.edit import Edit
from admission.engine.elements import FIELD, INDEX, KEYED, SELF, VALUE, Fields, Lookup
from admission.engine.values import List, Object, Value, opened


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
        inside = members.get(f"{FIELD}{key}") if isinstance(key, str) else fields
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
    return {} if left.keys() == {SELF} else left


def _pruned_member(name: str, child: Fields, edit: Edit, members: Object) -> Fields | None:
    if not name.startswith(FIELD):
        return child
    key = name[2:]
    if key in edit.gone and key not in members:
        return None
    inner = edit.children.get(key)
    return child if inner is None or key not in members else pruned(child, inner, members[key])


def _pruned_items(node: Fields, edit: Edit, items: List) -> dict[str, Fields | None]:
    kept = edit.kept if edit.kept is not None else range(len(items))
    left, gone = Lookup(items), Lookup((*edit.gone.values(), *edit.displaced))
    children: dict[str, Fields | None] = {}
    for name, child in node.items():
        if name.startswith((KEYED, VALUE)):
            position = left.position(name)
            if position is not None:
                inner = edit.children.get(kept[position])
                children[name] = child if inner is None else pruned(child, inner, items[position])
            else:
                children[name] = None if gone.position(name) is not None else child
        elif name.startswith(INDEX):
            children[name] = child if name[2:].isdigit() and int(name[2:]) < len(items) else None
        else:
            children[name] = child
    return children
