"""Appliers that lose a claim only because we trimmed.

An applier owns a list that was trimmed. When an updater sends that list again as the applier once did, it is longer
than what is stored: the API server sees a change, takes the list from the applier and gives it to the updater. Without
trimming there would have been no change, and had the trimmed list been sent, neither: the applier would own it on. So
it gets it back, or its next apply would be a conflict. Where that cannot be said in ``managedFields`` the value is left
as it was sent, which spares it the conflict once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from admission.engine.claims import add_claim
from admission.engine.document import Document
from admission.engine.edit import Edit
from admission.engine.elements import FIELD, KEYED, SELF, VALUE, Fields, Lookup, Names
from admission.engine.fieldset import Standing
from admission.engine.ownership import APPLY, Ownership, may_hold
from admission.engine.values import NULL, Key, List, Trail, Value, encode, opened, same, text_of

_APPLY: Final = APPLY.encode()
_Names: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Evictions:
    """What appliers lost.

    ``claims`` are the leaves that go back to those who owned them, as a tree; ``version`` is the apiVersion in which
    they are named. ``places`` are the leaves of which that cannot be said, by their places in what was sent.
    """

    claims: Fields = field(default_factory=dict)
    version: str = ""
    places: frozenset[Trail] = frozenset()


_NOBODY: Final = Evictions()


def evictions(document: Document, writer: str | None) -> Evictions:
    """The leaves that appliers lost although they are, once trimmed, what is stored. ``writer`` is a field manager.

    Only such: a value that really is another one is taken with good reason.
    """
    before, sent, stored = document.stored_object, document.ownership, document.stored_ownership
    if before is None or not may_hold(encode(before.get("metadata", NULL)), _APPLY) or not sent.entries:
        return _NOBODY  # the usual case, seen without decoding
    version, left = text_of(document.object.get("apiVersion", NULL)) or "", sent.appliers
    claims: Fields = {}
    places: set[Trail] = set()
    for identity, at in stored.appliers.items():
        whole, mine = stored.fields(at), sent.fields(left[identity]) if identity in left else None
        stranger = writer is not None and identity[0] != writer
        for names, place, edit in _lost(whole or {}, mine or {}, document.edits, before, document.object):
            if identity[2] == version and _may_go_back(names, sent, stored, taken=stranger):
                add_claim(claims, names)
            elif identity[0] != writer and _touched(edit, but_put_back=True):
                places.add(place)
    return Evictions(claims, version, frozenset(places)) if claims or places else _NOBODY


def _may_go_back(names: _Names, sent: Ownership, stored: Ownership, *, taken: bool) -> bool:
    """True when those who hold a leaf hold it by updating, and nobody let go of it.

    An applier that took it by force means it: it would be two appliers' from now on, who say more than is stored. Where
    nobody gained it, somebody else must be known to have ``taken`` it: an applier may let go of what others own too.
    """
    known = {entry.identity: at for at, entry in enumerate(stored.entries)}
    holders = 0
    for position, entry in enumerate(sent.entries):
        standing = sent.standing(position, names)
        if standing is Standing.STRANGER:
            continue
        if standing is Standing.INSIDER or entry.operation == APPLY:
            return False
        holders += 1
        before = known.get(entry.identity)
        taken = taken or before is None or stored.standing(before, names) is Standing.STRANGER
    return taken and holders > 0


# --- what was lost ---------------------------------------------------------------------------------------------------


def _lost(
    whole: Fields, left: Fields, edit: Edit, before: Value, now: Value, place: Trail = ()
) -> Iterator[tuple[_Names, Trail, Edit]]:
    """The leaves of ``whole`` that are not ``left`` and that edits made what they were ``before``, with their places.

    Only where something was edited: what is as it was sent is owned by whom the API server says.
    """
    names = Names(left)
    for name, key, inner, old, new in _edited(whole, edit, before, now):
        child, mine, here = whole[name], names.child(name), (*place, key)
        if not child:
            if mine is None and _touched(inner) and same(new, old):
                yield (name,), here, inner
        elif mine or mine is None or SELF in child:  # else it owns as one leaf what it owned in parts
            for inside, there, change in _lost(child, mine or {}, inner, old, new, here):
                yield (name, *inside), there, change


def _edited(whole: Fields, edit: Edit, before: Value, now: Value) -> Iterator[tuple[str, Key, Edit, Value, Value]]:
    """What was edited and is owned, its name and key as it was sent, and the values stored and now."""
    old, new = opened(before), opened(now)
    if isinstance(old, dict) and isinstance(new, dict):
        for key, inner in edit.children.items():
            name = f"{FIELD}{key}"
            if isinstance(key, str) and type(whole.get(name)) is dict and key in old and key in new:
                yield name, key, inner, old[key], new[key]
    elif isinstance(old, list) and isinstance(new, list) and edit.children:
        yield from _edited_items(whole, edit, old, new)


def _edited_items(whole: Fields, edit: Edit, old: List, new: List) -> Iterator[tuple[str, Key, Edit, Value, Value]]:
    kept = edit.kept if edit.kept is not None else range(len(new))
    stored, left = Lookup(old), Lookup(new)
    for name, child in whole.items():
        at = left.position(name) if name.startswith((KEYED, VALUE)) and type(child) is dict else None
        inner = None if at is None else edit.children.get(kept[at])
        was = None if inner is None else stored.position(name)
        if at is not None and inner is not None and was is not None:
            yield name, kept[at], inner, old[was], new[at]


def _touched(edit: Edit, *, but_put_back: bool = False) -> bool:
    """True when something was changed here or below; ``but_put_back``: by more than putting back what is stored.

    A time that was put back is not to be left as it was sent: the writer had sent another one.
    """
    replaced = edit.replaced and not (but_put_back and edit.restored)
    if replaced or edit.kept is not None or edit.gone or edit.displaced:
        return True
    return any(_touched(child, but_put_back=but_put_back) for child in edit.children.values())
