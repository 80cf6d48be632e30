"""Limits: what is still too big when everything is trimmed, and whether that rejects the write or only warns.

A limit is judged on the object that would be stored. An object that is too big already must still be able to shrink,
to be finalized and to be deleted: what makes nothing larger is never rejected, it warns.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Protocol

from msgspec import Struct

from admission.engine.document import Document
from admission.engine.fieldpath import FieldPath
from admission.engine.heaviest import heaviest, readable, subject
from admission.engine.reach import reach
from admission.engine.sides import Of, Result, Side, Stored, must_pass
from admission.engine.values import ANY_NUMBER, Trail, Value, opened, text_of
from admission.quantity import as_quantity

if TYPE_CHECKING:
    from admission.engine.policy import Policy

_QUOTES: Final = 2
_OBJECT: Final[Trail] = ("object",)


class Action(StrEnum):
    """What comes of being above a limit."""

    WARN = "Warn"
    REJECT = "Reject"


class Found(Struct, frozen=True):
    """The largest of the things that a limit measures, and where it is."""

    amount: int
    trail: Trail


class Measure(Protocol):
    """One thing that can be too big."""

    def largest(self, side: Side, above: int) -> Found | None:
        """The largest that is above a number, None when none is."""
        ...

    def told(self, found: Found, most: int) -> str:
        """What is too big, and by how much."""
        ...


@dataclass(frozen=True, slots=True)
class Size:
    """Bytes of the status or of the whole object, as stored."""

    of: Of

    def largest(self, side: Side, above: int) -> Found | None:
        """The size, when it is above."""
        size = side.size(self.of, above)
        return Found(size, (side.name,) if self.of is Of.STATUS else _OBJECT) if size > above else None

    def told(self, found: Found, most: int) -> str:
        """As quantities."""
        size, by = as_quantity(found.amount), as_quantity(found.amount - most)
        return f"{subject(found.trail)} takes {size}, {by} above the limit of {as_quantity(most)}"


@dataclass(frozen=True, slots=True)
class Items:
    """Items of the longest list that a path leads to."""

    path: FieldPath

    def largest(self, side: Side, above: int) -> Found | None:
        """The longest list, when it is above."""
        shortest = 2 * above + 3  # one item more than "above" takes so many bytes: [1,1]
        found = _reached(self.path, side, shortest)
        lists = ((trail, inside) for trail, value in found if isinstance(inside := opened(value, ANY_NUMBER), list))
        return _largest((len(items), trail) for trail, items in lists if len(items) > above)

    def told(self, found: Found, most: int) -> str:
        """As counts."""
        return _counted(found, most, "item")


@dataclass(frozen=True, slots=True)
class Length:
    """Code points of the longest text that a path leads to."""

    path: FieldPath

    def largest(self, side: Side, above: int) -> Found | None:
        """The longest text, when it is above."""
        found = _reached(self.path, side, above + 1 + _QUOTES)  # no code point takes less than a byte
        texts = ((trail, text) for trail, value in found if (text := text_of(value)) is not None)
        return _largest((len(text), trail) for trail, text in texts if len(text) > above)

    def told(self, found: Found, most: int) -> str:
        """As counts."""
        return _counted(found, most, "character")


def _counted(found: Found, most: int, noun: str) -> str:
    things = f"{found.amount} {noun if found.amount == 1 else f'{noun}s'}"
    return f"{subject(found.trail)} has {things}, {found.amount - most} above the limit of {most}"


def _reached(path: FieldPath, side: Side, at_least: int) -> Iterator[tuple[Trail, Value]]:
    root = side.root
    return iter(()) if root is None else reach(root, path.segments[1:], path.names[:1], at_least)


def _largest(found: Iterable[tuple[int, Trail]]) -> Found | None:
    """The largest; of equals the first."""
    most = max(found, key=lambda one: one[0], default=None)
    return None if most is None else Found(*most)


@dataclass(frozen=True, slots=True)
class Limit:
    """One entry of ``limits``."""

    measure: Measure
    most: int
    action: Action


@dataclass(frozen=True, slots=True)
class Bounds:
    """All limits of a policy on one thing: a thing above several of them is one thing."""

    measure: Measure
    warn: int | None = None
    reject: int | None = None

    @property
    def least(self) -> int:
        """What is not above this is above no limit."""
        return min(most for most in (self.warn, self.reject) if most is not None)


def bounds_of(limits: Iterable[Limit]) -> tuple[Bounds, ...]:
    """Limits by the thing that they measure, in order."""
    things: defaultdict[Measure, dict[Action, int]] = defaultdict(dict)
    for limit in limits:
        known = things[limit.measure]
        known[limit.action] = min(limit.most, known.get(limit.action, limit.most))
    return tuple(Bounds(measure, known.get(Action.WARN), known.get(Action.REJECT)) for measure, known in things.items())


class Excess(Struct, frozen=True):
    """One thing that is above a limit of a policy. ``told`` says what, by how much, and what is heavy; one line."""

    policy: str
    told: str
    rejects: bool


def judge(policies: Sequence[Policy], document: Document, pruned: int = 0) -> tuple[Excess, ...]:
    """Everything that is above a limit when the document is stored, in the order of the policies and their limits.

    ``pruned`` is what pruning takes from its ``managedFields``, in bytes.

    Raises:
        DocumentError: something on the way to what is measured cannot be read.
    """
    return tuple(excess for policy in policies for excess in _of_policy(policy, document, pruned))


def _of_policy(policy: Policy, document: Document, pruned: int) -> Iterator[Excess]:
    result = Result(document, policy.root, pruned)
    for bounds in policy.bounds:
        found = bounds.measure.largest(result, bounds.least)
        if found is None:
            continue
        above_reject = bounds.reject is not None and found.amount > bounds.reject
        most = bounds.reject if above_reject else bounds.warn
        assert most is not None, "it is above one of the two"  # noqa: S101
        rejects = above_reject and not _is_spared(bounds.measure, found, policy.root, document)
        told = f"{bounds.measure.told(found, most)}{_heavy(document, policy.root, found)}"
        yield Excess(policy.name, told, rejects)


def _is_spared(measure: Measure, found: Found, root: str, document: Document) -> bool:
    if must_pass(document, root):
        return True
    stored = Stored(document, root)
    return document.stored is not None and measure.largest(stored, found.amount - 1) is not None


def _heavy(document: Document, root: str, found: Found) -> str:
    """The heaviest parts of the root, and how much of a whole object that is at most."""
    parts = [f"{readable(trail)} {as_quantity(size)}" for trail, size in heaviest(document, root)]
    where = (
        f" in its {readable((root,))} of {as_quantity(document.size_of_root(root))}" if found.trail == _OBJECT else ""
    )
    return f"; heaviest{where}: {', '.join(parts)}" if parts else ""
