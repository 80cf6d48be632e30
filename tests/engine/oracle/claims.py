"""What appliers must get back: leaves that an updater took with their very words, and that a trim made what is stored.

Claims are compared as sets of ways, whose names are written in one form.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.engine.build import Json
from tests.engine.oracle.managers import AmbiguousError, names_item

Way = tuple[str, ...]
_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Claims:
    """One write: the managers sent and stored, and the objects submitted, stored and as they are let pass."""

    sent: Sequence[Json]
    kept: Sequence[Json]
    submitted: Json
    stored: Json
    result: Json
    writer: str | None

    def lost(self) -> Iterator[tuple[Json, Way]]:
        """The leaves that appliers do not own any more, and that are in the result what is stored."""
        for entry in self.kept:
            twin = next((one for one in self.sent if who(one) == who(entry)), None)
            if entry.get("operation") != "Apply" or who(entry)[2] != self.submitted.get("apiVersion"):
                continue
            left = set() if twin is None else owned(twin["fieldsV1"])
            for way in leaves_of(entry["fieldsV1"]) - left:
                values = [value_at(whole, way) for whole in (self.result, self.stored)]
                if _ABSENT not in values and values[0] == values[1] and not self._around(left, way, entry):
                    yield entry, way

    def _around(self, left: set[Way], way: Way, entry: Json) -> bool:
        """True when the applier owns something around a leaf as a whole, which it did not before."""
        before = owned(entry["fieldsV1"])
        return any(way[:n] in left and way[:n] not in before for n in range(1, len(way)))

    def must_go_back(self) -> set[Way]:
        """Those of the lost leaves that only updaters hold now, one of whom took it."""
        return {way for entry, way in self.lost() if self._is_changed(way) and self._may_go_back(entry, way)}

    def _is_changed(self, way: Way) -> bool:
        return bool(value_at(self.submitted, way) != value_at(self.result, way))

    def _may_go_back(self, entry: Json, way: Way) -> bool:
        if any(_inside(one["fieldsV1"], way) for one in self.sent):
            return False
        holders = [one for one in self.sent if way in leaves_of(one["fieldsV1"])]
        if not holders or any(one.get("operation") == "Apply" for one in holders):
            return False
        before = [next((old for old in self.kept if who(old) == who(one)), None) for one in holders]
        gained = bool([old for old in before if old is None or way not in owned(old["fieldsV1"])])
        return gained or self.writer not in {None, str(entry["manager"])}

    def is_shared(self, way: Way) -> bool:
        """True when an applier owns a leaf, or something around it as a whole."""
        appliers = [owned(one["fieldsV1"]) for one in self.sent if one.get("operation") == "Apply"]
        return any(way[:n] in ways for ways in appliers for n in range(1, len(way) + 1))

    def after(self, sent: Json, pruned: Json) -> set[Way]:
        """What an entry that was sent must own, that was pruned so."""
        back, version = self.must_go_back(), self.submitted.get("apiVersion")
        old = next((one for one in self.kept if who(one) == who(sent)), None)
        had = set() if old is None else leaves_of(old["fieldsV1"])
        found = owned(pruned or {})
        if who(sent)[2] != version:
            return found
        return (found | (back & had)) - (set() if sent.get("operation") == "Apply" else back - had)

    def coming_back(self) -> dict[tuple[str, ...], set[Way]]:
        """The entries that were dropped altogether and come back, and what with."""
        back, known = self.must_go_back(), {who(one) for one in self.sent}
        dropped = [
            one for one in self.kept if who(one) not in known and who(one)[2] == self.submitted.get("apiVersion")
        ]
        return {who(one): back & leaves_of(one["fieldsV1"]) for one in dropped if back & leaves_of(one["fieldsV1"])}


def who(entry: Json) -> tuple[str, ...]:
    """What makes two entries the same manager's."""
    return tuple(entry.get(name, "") for name in ("manager", "operation", "apiVersion", "subresource"))


def owned(node: Json, way: Way = ()) -> set[Way]:
    """All that a ``fieldsV1`` owns: leaves, and what stands for itself."""
    found = {way} if way and (not isinstance(node, dict) or not node or "." in node) else set()
    children = node.items() if isinstance(node, dict) else ()
    return found.union(*(owned(child, (*way, one_form(name))) for name, child in children if name != "."))


def leaves_of(node: Json, way: Way = ()) -> set[Way]:
    """The leaves that a ``fieldsV1`` owns."""
    if not isinstance(node, dict):
        return set()
    if not node:
        return {way} if way else set()
    return set().union(*(leaves_of(child, (*way, one_form(name))) for name, child in node.items() if name != "."))


def _inside(node: Json, way: Way) -> bool:
    """True when a ``fieldsV1`` owns something below a leaf."""
    return any(len(other) > len(way) and other[: len(way)] == way for other in owned(node)) or (
        way in owned(node) and way not in leaves_of(node)
    )


def one_form(name: str) -> str:
    """A name as it is written when everything is escaped and members are sorted."""
    try:
        return name[:2] + json.dumps(json.loads(name[2:]), sort_keys=True) if name[:2] in ("k:", "v:") else name
    except ValueError:
        return name


def value_at(value: Json, way: Way) -> Json:
    """What the names lead to.

    Raises:
        AmbiguousError: they may lead to several items.
    """
    for name in way:
        if isinstance(value, dict):
            value = value.get(name[2:], _ABSENT) if name[:2] == "f:" else _ABSENT
        elif isinstance(value, list):
            items = [item for n, item in enumerate(value) if names_item(name, item, n)]
            if len(items) > 1:
                raise AmbiguousError(name)
            value = items[0] if items else _ABSENT
        else:
            return _ABSENT
    return value
