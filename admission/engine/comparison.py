"""What may differ between what was sent and what a patch makes of it: only what licensed steps may do.

Both sides are read from bytes that no step ever got hold of.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from operator import lt
from typing import Literal

from msgspec import Raw

from admission.engine.condition import TYPE, type_names
from admission.engine.document import Document
from admission.engine.edit import Edit
from admission.engine.licence import Licence
from admission.engine.measure import stored_size
from admission.engine.pinned import Pinned
from admission.engine.places import pointer
from admission.engine.restored import Restored
from admission.engine.schema import Schema
from admission.engine.values import List, Object, Trail, Value, encode, is_list, is_text, opened, same, text_of


@dataclass(frozen=True, slots=True)
class Broken:
    """One invariant that does not hold."""

    invariant: str
    detail: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Compares what was sent with what the patch makes of it.

    The edits of the working copy serve as witnesses: they say which item came from where, and that is then checked
    on the bytes. Where there is no edit, before and after must be the same bytes.
    """

    document: Document
    licences: tuple[Licence, ...]
    restored: Restored
    pinned: Pinned

    def fault(self, before: Value, after: Value, edit: Edit | None, trail: Trail) -> Broken | None:
        """What is wrong when ``after`` is not ``before`` with only licensed things missing or cut."""
        if edit is None:
            return None if _equal(before, after) else Broken("I6", f"{pointer(trail)} changed")
        left, right = self.document.sent.opened(before), opened(after)
        if isinstance(left, dict) and isinstance(right, dict):
            return self._members(left, right, edit, trail)
        if isinstance(left, list) and isinstance(right, list):
            return self._items(left, right, edit, trail) or self._too_few(left, right, trail)
        if left is None and right is None:
            return self._scalar(before, after, trail)
        return Broken("I6", f"{pointer(trail)} changed")

    def _scalar(self, before: Value, after: Value, trail: Trail) -> Broken | None:
        if type(before) is Raw and before == after:
            return None
        fault = self._cut_fault(before, after, trail)
        return None if fault is None or _equal(before, after) else fault  # a licensed cut need not be decoded

    def _cut_fault(self, before: Value, after: Value, trail: Trail) -> Broken | None:
        """What is wrong when ``after`` is no text that a policy may have cut ``before`` to."""
        if not self._is_cut(before, after, trail):
            return Broken("I6", f"{pointer(trail)} changed")
        if self._is_bent(after, trail):
            return Broken("I8", f"{pointer(trail)} is not what the schema demands any more")
        if self.document.names_an_item(trail[:-1], trail[-1]):
            return Broken("I8", f"{pointer(trail)} told an item of its list from the others")
        left, right = encode(before), encode(after)
        grew = len(right) > len(left) and stored_size(right) > stored_size(left)
        return Broken("I5", f"{pointer(trail)} got bigger") if grew else None

    def _too_few(self, left: List, right: List, trail: Trail) -> Broken | None:
        demands = None if len(left) == len(right) else self.document.demands(trail)
        few = demands is not None and len(right) < demands.min_items
        return Broken("I8", f"{pointer(trail)} has fewer items than the schema demands") if few else None

    def _is_bent(self, after: Value, trail: Trail) -> bool:
        """True when a text that was cut has no form any more that the schema demands."""
        demands = self.document.demands(trail)
        return demands is not None and (demands.text.is_exact or len(text_of(after) or "") < demands.text.min_length)

    def _is_cut(self, before: Value, after: Value, trail: Trail) -> bool:
        if not is_text(before) or not is_text(after):
            return False
        return any(licence.cuts(trail) for licence in self.licences) or self._is_fitted(before, after, trail)

    def _is_fitted(self, before: Value, after: Value, trail: Trail) -> bool:
        """True for the start of a text that may be cut to what the schema allows, and that is all of that."""
        most = self._most(trail, "max_length")
        return most is not None and text_of(after) == (text_of(before) or "")[:most]

    def _may_shrink(self, right: List, trail: Trail) -> bool:
        """True when items may leave a list; where only the schema asks for it, no more of them than it does."""
        if any(licence.shrinks(trail) for licence in self.licences):
            return True
        most = self._most(trail, "max_items")
        return most is not None and len(right) >= most

    def _most(self, trail: Trail, limit: Literal["max_items", "max_length"]) -> int | None:
        """What the schema allows at most where a policy fits something to it."""
        demands = self.document.demands(trail)
        most: int | None = None if demands is None else getattr(demands, limit)
        return most if most is not None and any(licence.fits(trail) for licence in self.licences) else None

    def _members(self, left: Object, right: Object, edit: Edit, trail: Trail) -> Broken | None:
        sent = left
        if left.keys() != right.keys():
            lost = self._lost(left, right, edit, trail)
            if lost is not None:
                return lost
            left = {key: value for key, value in left.items() if key in right}
        for key, value in left.items():
            inner = edit.children.get(key)
            if inner is None and value is right[key]:
                continue  # the replay shares what it did not touch
            if inner is not None and self.restored.accepts(sent, right, key, trail):
                continue
            found = self.fault(value, right[key], inner, (*trail, key))
            if found is not None:
                return found
        return None

    def _lost(self, left: Object, right: Object, edit: Edit, trail: Trail) -> Broken | None:
        """What is wrong with the members that are on one side alone."""
        gone, demands = left.keys() - right.keys(), self.document.demands(trail)
        gained = len(right) > len(left) - len(gone)
        if gained or not self.pinned.may_evict(self._undropped(left, gone, trail), left, edit, trail):
            return Broken("I6", f"{pointer(trail)} lost or gained a field")
        if demands is not None and not _satisfies(right, gone, demands):
            return Broken("I8", f"{pointer(trail)} lacks a field that the schema demands")
        if isinstance(trail[-1], int) and any(self.document.names_an_item(trail, key) for key in gone):
            return Broken("I8", f"{pointer(trail)} lacks what told it from the other items of its list")
        return None

    def _undropped(self, left: Object, gone: Set[str], trail: Trail) -> Set[str]:
        """Of members that are gone those that no policy drops."""
        dropping = [licence for licence in self.licences if licence.dropping]
        return gone - {key for key in gone if any(_drops(licence, left, key, trail) for licence in dropping)}

    def _items(self, left: List, right: List, edit: Edit, trail: Trail) -> Broken | None:
        kept = edit.kept if edit.kept is not None else range(len(left))
        if len(kept) != len(right) or max(kept, default=-1) >= len(left):
            return Broken("I2", f"{pointer(trail)} has other items than the evaluation left")
        if len(left) != len(right) and not self._may_shrink(right, trail):
            return Broken("I6", f"items of {pointer(trail)} are missing")
        children = edit.children
        for position, origin in enumerate(kept):
            item = right[position]
            if item is left[origin] and origin not in children:
                continue  # the replay shares what it did not touch
            found = self._item(left, item, edit, origin, (*trail, position))
            if found is not None:
                return found
        if not all(map(lt, kept, kept[1:])):
            return Broken("I7", f"the items of {pointer(trail)} are out of order")
        return self._missing(left, kept, edit, trail) if len(left) != len(right) else None

    def _item(self, left: List, item: Value, edit: Edit, origin: int, trail: Trail) -> Broken | None:
        moved = edit.moved.get(origin)
        if moved is None:
            return self.fault(left[origin], item, edit.children.get(origin), trail)
        if not any(licence.reorders(trail[:-1]) for licence in self.licences) or moved not in edit.gone:
            return Broken("I7", f"{pointer(trail)} took another item's place")
        return self.fault(left[moved], item, edit.children.get(moved), trail)

    def _missing(self, left: List, kept: Sequence[int], edit: Edit, trail: Trail) -> Broken | None:
        if self.pinned.lost(left, kept, edit, trail):
            return Broken("I7", f"a pinned item left {pointer(trail)}")
        return self._types(left, kept, edit, trail)

    def _types(self, left: List, kept: Sequence[int], edit: Edit, trail: Trail) -> Broken | None:
        if not any(licence.is_conditions(trail) for licence in self.licences):
            return None
        # of what stayed the types are what they were, as the comparison of the items has shown
        names = self.document.sent_types.get(id(edit)) or type_names(left)
        gone = set(names) - {names[edit.moved.get(origin, origin)] for origin in kept} - {None}
        missing = next((name for name in gone if name is not None and not self._may_leave(trail, name)), None)
        return None if missing is None else Broken("I7", f"the last condition of a type left {pointer(trail)}")

    def _may_leave(self, trail: Trail, type_: str) -> bool:
        """True when a policy to which these are no conditions removes some or drops types, or need not keep this."""
        if any(licence.drops((*trail, 0, TYPE), a_list=False) for licence in self.licences):
            return True
        return any(
            (licence.shrinks(trail) or licence.fits(trail))
            and (not licence.is_conditions(trail) or licence.may_leave(trail, type_))
            for licence in self.licences
        )


def _drops(licence: Licence, members: Object, key: str, trail: Trail) -> bool:
    return licence.drops((*trail, key), a_list=is_list(members[key]))


def _satisfies(members: Object, gone: Set[str], demands: Schema) -> bool:
    return not (demands.required & gone) and len(members) >= demands.min_properties


def _equal(before: Value, after: Value) -> bool:
    """Equal to the byte, or but for blanks and escapes (which opening a value takes out)."""
    if type(before) is Raw and type(after) is Raw:
        return before == after or same(before, after)
    return encode(before) == encode(after) or same(before, after)
