"""The way back: what a patch took from the submitted object, as a patch that puts it back.

Derived from the submitted bytes and the patch alone, so that a line of the decision log and the stored object are
enough to have the submitted root again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Raw, Struct, field

from admission.engine.decision import Op
from admission.engine.ownership import MANAGED_FIELDS
from admission.engine.places import token
from admission.engine.values import Container, Key, List, encode, opened

_END: Final = "-"
_SOMETHING: Final = b"null"


def undo_of(submitted: Raw, patch: Sequence[Op]) -> tuple[Op, ...]:
    """The operations that turn the patched object into the submitted one, but for ``metadata.managedFields``.

    Pointers are those of the submitted object: what holds something comes before what is in it, and the items of a
    list come in their order, so that the operations also apply one after the other. ``add`` puts back an item or a
    field that was removed, ``replace`` the value as it was submitted, ``remove`` takes out what the patch added. A list
    that the patch replaced by some of its own items comes back item by item. Values are the bytes that were submitted.

    Raises:
        DocumentError: the submitted bytes are no JSON.
        LookupError: an operation points where nothing is.
    """
    root = _Place.of(submitted)
    for operation in patch:
        if not operation.path.startswith(MANAGED_FIELDS):
            _note(root, operation)
    return tuple(_way_back(root, ""))


class _Place(Struct):
    """A container as it was submitted, and what became of its members, by the keys that they had then.

    ``now`` says of every item of a list where it was, None that it was not there.
    """

    members: Container
    raw: Raw
    now: list[int | None]
    inside: dict[Key, _Place] = field(default_factory=dict)
    gone: set[Key] = field(default_factory=set)
    replaced: dict[Key, bytes] = field(default_factory=dict)
    added: set[Key] = field(default_factory=set)

    @classmethod
    def of(cls, raw: Raw) -> _Place:
        members = opened(raw)
        if members is None:
            raise LookupError("an operation points into a scalar")
        return cls(members, raw, list(range(len(members))) if isinstance(members, list) else [])

    def key(self, name: str) -> Key | None:
        """The key in what was submitted of what ``name`` leads to now; None when that was not submitted."""
        if isinstance(self.members, list):
            return self.now[int(name)]
        return None if name in self.added else name

    def member(self, key: Key) -> Raw:
        value: Raw = self.members[key]  # type: ignore[index,assignment]  # nothing in here is ever opened in place
        return value

    def child(self, key: Key) -> _Place:
        if key not in self.inside:
            self.inside[key] = _Place.of(self.member(key))
        return self.inside[key]


# --- following the patch ---------------------------------------------------------------------------------------------


def _note(root: _Place, operation: Op) -> None:
    *way, last = [_name(each) for each in operation.path.split("/")[1:]]
    place = root
    for name in way:
        key = place.key(name)
        if key is None:
            return  # inside of what goes as a whole
        if key in place.replaced:
            place.replaced[key] = _SOMETHING  # comes back as a whole
            return
        place = place.child(key)
    if operation.op == "add":
        _added(place, last, operation.value or b"")
    elif operation.op == "remove":
        _removed(place, last)
    else:
        _replaced(place, place.key(last), operation.value or b"")


def _name(text: str) -> str:
    return text.replace("~1", "/").replace("~0", "~")


def _removed(place: _Place, name: str) -> None:
    key = place.key(name)
    if isinstance(place.members, list):
        del place.now[int(name)]
    place.added.discard(name)
    if key is not None and (isinstance(key, int) or key in place.members):
        place.gone.add(key)
        place.replaced.pop(key, None)


def _replaced(place: _Place, key: Key | None, value: bytes) -> None:
    if key is not None:
        place.replaced[key] = value


def _added(place: _Place, name: str, value: bytes) -> None:
    if isinstance(place.members, list):
        place.now.insert(len(place.now) if name == _END else int(name), None)
    elif name in place.members:
        place.gone.discard(name)
        place.replaced[name] = value
    else:
        place.added.add(name)


# --- the way back ----------------------------------------------------------------------------------------------------


def _way_back(place: _Place, here: str) -> Iterator[Op]:
    if None in place.now:
        yield Op("replace", here, bytes(place.raw))
        return
    for key in sorted(place.gone, key=_order):
        yield Op("add", f"{here}/{token(key)}", bytes(place.member(key)))
    for name in sorted(place.added, key=_order):
        yield Op("remove", f"{here}/{token(name)}")
    for key in sorted(place.replaced.keys() | place.inside.keys(), key=_order):
        if key in place.replaced:
            yield from _put_back(place.member(key), place.replaced[key], f"{here}/{token(key)}")
        elif key not in place.gone:
            yield from _way_back(place.inside[key], f"{here}/{token(key)}")


def _order(key: Key) -> tuple[int, str]:
    return (key, "") if isinstance(key, int) else (0, key)


def _put_back(before: Raw, after: bytes, here: str) -> Iterator[Op]:
    """What was replaced; of a list of which some items stayed, those that did not."""
    items, left = opened(before), opened(Raw(after))
    missing = _missing(items, left) if isinstance(items, list) and isinstance(left, list) else None
    if missing is None:
        yield Op("replace", here, bytes(before))
        return
    for position in missing:
        yield Op("add", f"{here}/{position}", encode(items[position]))  # type: ignore[index]  # a list: see above


def _missing(items: List, left: List) -> list[int] | None:
    """The positions of the items that are not in ``left``; None when ``left`` holds something else, or otherwise."""
    missing, at = [], 0
    for position, item in enumerate(items):
        if at < len(left) and item == left[at]:
            at += 1
        else:
            missing.append(position)
    return missing if at == len(left) else None
