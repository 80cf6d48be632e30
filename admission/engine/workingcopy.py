"""The working copy of a submitted object: what is read and changed in place, and the smallest patch for that.

Changes are remembered as a tree of edits in the positions of the object *as it was sent*, so that several steps,
policies and rounds over one list still come out as one short sequence of operations. Two documents are never compared
to find a patch.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

import msgspec
from msgspec import Raw

from admission.engine.decision import Op
from admission.engine.edit import Edit
from admission.engine.fieldpath import FieldPath
from admission.engine.measure import escaped_size, stored_size
from admission.engine.operations import operations_of
from admission.engine.places import walk
from admission.engine.sent import Sent
from admission.engine.values import Container, Key, List, Object, Trail, Value, encode, is_null
from admission.errors import DocumentError

OBJECT: Final = "object"
_UNTOUCHED: Final = {Raw}


class WorkingCopy:
    """One object on its way to etcd."""

    def __init__(
        self, submitted: Raw, *, roots: tuple[str, ...], compact: bool, known: Iterable[tuple[Raw, Container]] = ()
    ) -> None:
        """Wrap the bytes of a submitted object. ``roots`` are the members that policies work on.

        ``known`` are values that are decoded already.

        Raises:
            DocumentError: the submitted bytes are no JSON object.
        """
        self._holder: Object = {OBJECT: submitted}
        self.sent = Sent(known)
        inside = self.sent.open_copy(self._holder, OBJECT)
        if not isinstance(inside, dict):
            raise DocumentError("the object of the review is no JSON object")
        self.object: Object = inside
        self.roots = roots
        self.compact = compact
        self.submitted = submitted
        self.sent_roots = {root: self.object[root] for root in roots if root in self.object}
        self._encoded: dict[str, tuple[int, bytes]] = {}
        self._led: dict[int, bool] = {}
        self._text_sizes: dict[int, tuple[Value, int]] = {}
        self.sent_types: dict[int, Sequence[str | None]] = {}
        """The types in lists of conditions as they were sent, where a step has read them anyway, by the list's edit."""
        self.edits = Edit()
        self.revision = 0
        """Goes up with every change: the rounds of an evaluation end when it stands still."""
        self.saved = 0
        """Bytes, as stored, by which all changes so far have made the roots smaller."""

    # --- reading -------------------------------------------------------------------------------------------------

    def lists(self, path: FieldPath) -> Iterator[tuple[Trail, List]]:
        """Every list that the path leads to, opened, with its trail."""
        for trail, container, key in self.places(path):
            inside = self.sent.open_copy(container, key)
            if isinstance(inside, list):
                yield (*trail, key), inside

    def maps(self, path: FieldPath) -> Iterator[tuple[Trail, Object]]:
        """Every object that the path leads to, opened, with its trail."""
        for trail, container, key in self.places(path):
            inside = self.sent.open_copy(container, key)
            if isinstance(inside, dict):
                yield (*trail, key), inside

    def places(self, path: FieldPath, at_least: int = 0) -> Iterator[tuple[Trail, Container, Key]]:
        """Every value that the path leads to: the trail to its container, the container, the key in it.

        Values of fewer than ``at_least`` bytes are passed over, and so is what can hold none of that size.
        """
        return walk(self.object, path.segments, at_least=at_least, opening=self.sent.open_copy)

    def leads_anywhere(self, path: FieldPath) -> bool:
        """True when the path leads, or led, to a value of any size. Members that were never sent are not sought."""
        if id(path) not in self._led:  # a policy's path lives longer than a document
            self._led[id(path)] = self._leads_anywhere(path)
        return self._led[id(path)]

    def led_to_something(self, path: FieldPath) -> None:
        """Take note that the path led to a value: nobody needs to look again."""
        self._led[id(path)] = True

    def _leads_anywhere(self, path: FieldPath) -> bool:
        first, last = (path.names[0], path.names[-1]) if path.names else ("", "")
        sent = self.sent_roots.get(first)
        if sent is None:
            return False
        if last != first and last.isascii() and last.isalnum() and f'"{last}"'.encode() not in encode(sent):
            return False
        return next(self.places(path), None) is not None

    def origin(self, trail: Trail) -> Trail:
        """The place in what was sent of what is at ``trail`` now."""
        edit: Edit | None = self.edits
        origin: list[Key] = []
        for key in trail:
            origin.append(key if edit is None else edit.original(key))
            edit = None if edit is None else edit.children.get(origin[-1])
        return tuple(origin)

    # --- changing ------------------------------------------------------------------------------------------------

    def remove_items(self, trail: Trail, items: List, positions: Collection[int]) -> int:
        """Remove items of the list at ``trail``; returns the bytes that this saves, as stored."""
        edit = self._edit(trail)
        going = set(positions)
        staying = [position for position in range(len(items)) if position not in going]
        kept = edit.kept or range(len(items))
        removed = [items[position] for position in going]
        edit.gone.update(zip([kept[position] for position in going], removed, strict=True))
        saved = self._sizes(removed) + min(len(going), len(items) - 1)  # commas
        edit.kept = staying if edit.kept is None else [kept[position] for position in staying]
        items[:] = [items[position] for position in staying]
        return self._changed(saved)

    def move_item(self, trail: Trail, items: List, source: int, target: int) -> int:
        """Put the item at ``source`` in the place of the item at ``target``; ``source`` is to be removed next.

        Returns the bytes that this saves, as stored (negative when the moved item is the bigger one).
        """
        saved = self.size(items[target]) - self.size(items[source])
        edit = self._edit(trail)
        place, origin = edit.original(target), edit.original(source)
        assert isinstance(place, int), "a list has positions"  # noqa: S101
        assert isinstance(origin, int), "a list has positions"  # noqa: S101
        edit.moved[place] = edit.moved.get(origin, origin)
        edit.displaced.append(items[target])
        moving = edit.child(source)
        moving.replaced = True
        edit.children[place] = moving  # what happened in the item, and will, goes with it
        items[target] = items[source]
        return self._changed(saved)

    def remove_member(self, trail: Trail, members: Object, name: str) -> int:
        """Remove a member of the object at ``trail``; returns the bytes that this saves, as stored."""
        return self.remove_members(trail, members, (name,))

    def remove_members(self, trail: Trail, members: Object, names: Collection[str]) -> int:
        """Remove some members of the object at ``trail``; returns the bytes that this saves, as stored."""
        gone = {name: members.pop(name) for name in names}
        self._edit(trail).gone.update(gone)
        separators = len(":") * len(gone) + len(",") * (len(gone) if members else len(gone) - 1)
        # quoted as the members of a list, of which only the brackets and commas are left out
        quoted_names = escaped_size(msgspec.json.encode([*gone])) - len("[]") - (len(gone) - 1)
        return self._changed(quoted_names + separators + self._sizes([*gone.values()]))

    def replace(self, trail: Trail, container: Container, key: Key, value: Raw) -> int:
        """Set the value at ``key`` of the container at ``trail``; returns the bytes that this saves, as stored."""
        before = self.size(container[key])  # type: ignore[index]
        edit = self._edit(trail)
        if isinstance(container, list):
            edit.displaced.append(container[key])  # type: ignore[index]
        container[key] = value  # type: ignore[index]
        edit.child(key).replaced = True
        return self._changed(before - self.size(value))

    def put_back(self, trail: Trail, container: Container, key: Key, value: Raw) -> None:
        """Set the value at ``key`` of the container at ``trail`` to what is stored."""
        before = self.size(container[key])  # type: ignore[index]
        container[key] = value  # type: ignore[index]
        edit = self._edit(trail).child(key)
        edit.replaced = edit.restored = True
        self._changed(before - self.size(value))

    def _changed(self, saved: int) -> int:
        self.revision += 1
        self.saved += saved
        return saved

    def note_types(self, trail: Trail, types: Sequence[str | None]) -> None:
        """Take note of the types in a list that nothing was removed from yet: the re-check need not read them again."""
        edit = self._edit(trail)
        if edit.kept is None and not edit.children:
            self.sent_types[id(edit)] = types

    def note_text_size(self, value: Raw, size: int) -> None:
        """Take note of the UTF-8 bytes of a text that a step has made: the next round need not decode it."""
        self._text_sizes[id(value)] = (value, size)  # the value is held too: its id stays its own

    def text_size(self, value: Value) -> int | None:
        """The UTF-8 bytes of a text that a step has made; None for all others."""
        known = self._text_sizes.get(id(value))
        return None if known is None else known[1]

    def _edit(self, trail: Trail) -> Edit:
        edit = self.edits
        for key in trail:
            edit = edit.child(key)
        return edit

    # --- the result ----------------------------------------------------------------------------------------------

    @property
    def changed(self) -> bool:
        """True when anything was changed."""
        return self.revision > 0

    def size(self, value: Value) -> int:
        """Bytes of a value as stored."""
        if type(value) is Raw and self.compact:
            return len(value)
        return escaped_size(encode(value)) if self.compact else stored_size(encode(value))

    def _sizes(self, values: List) -> int:
        if self.compact and set(map(type, values)) == _UNTOUCHED:
            return sum(map(len, values))
        return sum(map(self.size, values))

    def submitted_size(self) -> int:
        """Bytes of the roots as they were sent; 0 for one that is absent."""
        return sum(self.size(value) for value in self.sent_roots.values() if not is_null(value))

    def root_size(self) -> int:
        """Bytes of the roots as stored, as they are now; 0 for one that is absent."""
        return sum(map(self.size_of_root, self.roots))

    def size_of_root(self, root: str) -> int:
        """Bytes of one root as stored, as it is now; 0 when it is absent."""
        value = self.object.get(root)
        if value is None or is_null(value):
            return 0
        if not self.changed:
            value = self.sent_roots[root]  # opened by now, perhaps, and to be encoded for nothing
        if type(value) is Raw:
            return self.size(value)
        return escaped_size(self.root_bytes(root)) if self.compact else stored_size(self.root_bytes(root))

    def root_bytes(self, root: str) -> bytes:
        """The bytes of a root as it is now."""
        known = self._encoded.get(root)
        if known is None or known[0] != self.revision:
            known = self._encoded[root] = (self.revision, encode(self.object[root]))
        return known[1]

    def operations(self) -> list[Op]:
        """The changes as JSON Patch operations on the object as it was sent: the fewest bytes that say it."""
        return operations_of(self.edits, self.object)
