"""The two objects that a limit compares and a budget measures: the one that would be stored, and the one that is.

A size of the whole object is that of its bytes, with the roots in them exchanged: nothing is opened to measure it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from msgspec import Raw

from admission.engine.attributes import STATUS
from admission.engine.document import Document
from admission.engine.measure import stored_size
from admission.engine.values import NULL, Object, Value, encode, is_null, opened, same

_AROUND_A_MEMBER: Final = len('"":,')
_DELETED: Final = "deletionTimestamp"


class Of(StrEnum):
    """What a limit in bytes measures."""

    STATUS = "Status"
    OBJECT = "Object"


class Side(Protocol):
    """One of the two. Sizes are bytes as stored."""

    @property
    def name(self) -> str:
        """The name of the policy's root."""
        ...

    @property
    def root(self) -> Value | None:
        """The policy's root, None when it is absent."""
        ...

    def size(self, of: Of, above: int) -> int:
        """A size. When that is not ``above``, anything else that is not may be told instead."""
        ...


@dataclass(frozen=True, slots=True)
class Stored:
    """The stored object."""

    document: Document
    name: str

    @property
    def root(self) -> Value | None:
        """The policy's root in the stored object."""
        return (self.document.stored_object or {}).get(self.name)

    def size(self, of: Of, above: int) -> int:
        """A size of the stored object."""
        value = self.document.stored if of is Of.OBJECT else self.root
        return 0 if value is None or is_null(value) else _size(value, self.document.stored_compact)


@dataclass(frozen=True, slots=True)
class Result:
    """The object as policies let it pass. ``pruned`` is what pruning takes from its ``managedFields``.

    On a ``/status`` write the API server takes nothing but the status of what was sent: it is the stored object with
    another status.
    """

    document: Document
    name: str
    pruned: int = 0

    @property
    def root(self) -> Value | None:
        """The policy's root as it is now."""
        return self.document.object.get(self.name)

    def size(self, of: Of, above: int) -> int:
        """A size of the object that would be stored."""
        if of is Of.STATUS:
            return self.document.size_of_root(self.name)
        if self.document.on_status and self.document.stored is not None:
            return self._with_this_status(self.document.stored, above)
        names, document = self.document.roots, self.document
        before = sum(_member(name, document.sent_roots.get(name), document.compact) for name in names)
        return _size(document.submitted, document.compact) - before + sum(map(self._now, names)) - self.pruned

    def _with_this_status(self, stored: Raw, above: int) -> int:
        compact = self.document.stored_compact
        size = _size(stored, compact) + self._now(STATUS)
        if size <= above:
            return size  # the stored status need not be found in the bytes
        before = (self.document.stored_object or {}).get(STATUS)
        return size - _member(STATUS, before, compact)

    def _now(self, name: str) -> int:
        if name not in self.document.object:
            return 0
        return (self.document.size_of_root(name) or len(NULL)) + len(name) + _AROUND_A_MEMBER


def must_pass(document: Document, root: str) -> bool:
    """True for a write that no limit may reject: the object is on its way out, or its root stays as it is stored."""
    stored = document.stored_object or {}
    if _is_going(document.object) or _is_going(stored):
        return True
    if document.stored_object is None:
        return False
    return any(_same(value, stored.get(root)) for value in (document.sent_roots.get(root), document.object.get(root)))


def _same(left: Value | None, right: Value | None) -> bool:
    if left is None or right is None:
        return left is right
    return same(left, right)


def _is_going(members: Object) -> bool:
    metadata = opened(members["metadata"]) if "metadata" in members else None
    return isinstance(metadata, dict) and not is_null(metadata.get(_DELETED))


def _member(name: str, value: Value | None, compact: bool) -> int:
    return 0 if value is None else _size(value, compact) + len(name) + _AROUND_A_MEMBER


def _size(value: Value, compact: bool) -> int:
    return len(value) if compact and type(value) is Raw else stored_size(encode(value))
