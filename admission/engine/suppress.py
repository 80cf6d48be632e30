"""Heartbeats: writes that differ from what is stored in nothing but leaves that may be a while behind.

A trimmed result is compared with the stored root. When every leaf that differs is covered by some rule, within the
staleness of that rule, the write is held back: it becomes what is stored. One difference that no rule covers lets the
whole write pass, with all its fresh values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from msgspec import Raw, Struct

from admission.engine.document import Document
from admission.engine.fieldpath import FieldPath, Segment
from admission.engine.instant import CLOCK_SKEW, parse_time
from admission.engine.places import covers
from admission.engine.tolerance import Times, Tolerance, known_time_of
from admission.engine.values import Container, Key, Trail, Value, opened, same

MOST_LEAVES: Final = 10_000
"""Leaves of one write that are looked at: each costs up to 40 µs, and the API server waits."""

_TIMES: Final = Times()


@dataclass(frozen=True, slots=True)
class SuppressRule:
    """Leaves of which a write may be held back.

    ``fields`` lead to the leaves themselves, not to what holds them. A leaf is covered while the stored value is at
    most ``max_staleness`` old (nanoseconds) and ``tolerance`` takes the fresh one for nothing new.
    """

    fields: tuple[FieldPath, ...]
    max_staleness: int
    tolerance: Tolerance = _TIMES


class Leaf(Struct, frozen=True):
    """One difference that is covered: its place, what is stored there, and the rule, with its policy's name."""

    trail: Trail
    stored: Raw
    policy: str
    rule: SuppressRule


class Held(Struct, frozen=True):
    """All that differs between a result and the stored object, every bit of it covered."""

    leaves: tuple[Leaf, ...]

    @property
    def policies(self) -> frozenset[str]:
        """The policies whose rules cover something."""
        return frozenset(leaf.policy for leaf in self.leaves)

    @property
    def max_staleness(self) -> int:
        """The shortest staleness that was relied on, in nanoseconds; there are leaves."""
        return min(leaf.rule.max_staleness for leaf in self.leaves)

    def put_back(self, document: Document) -> None:
        """Make the document what is stored."""
        for leaf in self.leaves:
            *around, last = leaf.trail
            container = document.object
            for key in around:
                inside = document.sent.open_copy(container, key)
                assert inside is not None, "the leaf was found there"  # noqa: S101
                container = inside  # type: ignore[assignment]
            document.put_back(tuple(around), container, last, leaf.stored)


Rules: TypeAlias = Sequence[tuple[str, SuppressRule]]
"""Rules with the names of their policies."""


def held(document: Document, rules: Rules, now: int) -> Held | None:
    """What a write may be held back for: no leaves when nothing differs, None when something does that no rule covers.

    ``now`` is nanoseconds since the epoch.

    Raises:
        DocumentError: a value cannot be read.
    """
    stored = document.stored_object
    if stored is None:
        return None
    search = _Search(document, now)
    ways = [_Way(policy, rule, field.segments) for policy, rule in rules for field in rule.fields]
    for root in document.roots:
        if (root in stored) != (root in document.object):
            return None
        if root in stored and not search.covers(document.object, stored, (root,), ways):
            return None
    return Held(tuple(search.leaves))


class _Way(NamedTuple):
    """What is left of the way to the leaves of one field of a rule, from somewhere on it."""

    policy: str
    rule: SuppressRule
    segments: Sequence[Segment]


def _below(ways: Sequence[_Way], container: Container, key: Key) -> Sequence[_Way]:
    """Those of some ways that lead on through what a container has at a key."""
    return [
        way._replace(segments=way.segments[1:])
        for way in ways
        if way.segments and covers(way.segments[0], container, key)
    ]


class _Search:
    """Walks two values side by side and gathers the leaves that differ, until one of them is not covered."""

    def __init__(self, document: Document, now: int) -> None:
        self.leaves: list[Leaf] = []
        self._document = document
        self._now = now

    def covers(self, sent: Container, stored: Container, trail: Trail, ways: Sequence[_Way]) -> bool:
        """True when what two containers have at the end of ``trail`` differs in covered leaves alone.

        ``ways`` are those of the rules that lead to the containers.
        """
        key = trail[-1]
        now, before = sent[key], stored[key]  # type: ignore[index]
        if type(now) is Raw and type(before) is Raw and now == before:
            return True
        below = _below(ways, sent, key)
        if not below:
            return same(now, before)
        left, right = opened(now), opened(before)
        if isinstance(left, dict) and isinstance(right, dict):
            return left.keys() == right.keys() and all(self.covers(left, right, (*trail, name), below) for name in left)
        if isinstance(left, list) and isinstance(right, list):
            return len(left) == len(right) and all(
                self.covers(left, right, (*trail, at), below) for at in range(len(left))
            )
        if left is not None or right is not None:
            return False
        return same(now, before) or self._covers_leaf(now, before, trail, below)

    def _covers_leaf(self, sent: Value, stored: Value, trail: Trail, ways: Sequence[_Way]) -> bool:
        assert type(stored) is Raw, "it is a scalar"  # noqa: S101
        if len(self.leaves) == MOST_LEAVES:
            return False
        for policy, rule, rest in ways:
            if not rest and rule.tolerance.covers(stored, sent) and self._is_fresh(trail, stored, rule):
                self.leaves.append(Leaf(trail, stored, policy, rule))
                return True
        return False

    def _is_fresh(self, trail: Trail, stored: Raw, rule: SuppressRule) -> bool:
        written = self._written(trail, stored)
        return written is not None and self._now - written <= rule.max_staleness

    def _written(self, trail: Trail, stored: Raw) -> int | None:
        """When what is stored was written at the latest; None when nobody knows.

        A stored time tells it by itself. Otherwise, and for a time that is still to come, the managers that own the
        leaf do.
        """
        told = self._in_the_past(known_time_of(stored), CLOCK_SKEW)
        if told is not None and told <= self._now:
            return told
        owned = self._owned_since(trail)
        return told if owned is None else owned

    def _owned_since(self, trail: Trail) -> int | None:
        """The newest time of a manager that owns the stored leaf."""
        ownership, stored = self._document.stored_ownership, self._document.stored_view
        assert stored is not None, "it was compared"  # noqa: S101
        times = [
            self._in_the_past(parse_time(entry.time), CLOCK_SKEW)
            for position, entry in enumerate(ownership.entries)
            if ownership.owns(position, trail, stored)
        ]
        return max((time for time in times if time is not None), default=None)

    def _in_the_past(self, time: int | None, skew: int) -> int | None:
        return time if time is not None and time <= self._now + skew else None
