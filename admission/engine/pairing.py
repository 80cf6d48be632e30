"""What a path leads to in two objects at once: a value, and what stands in its place in the other one.

Members pair by name. Items pair by position, and only where they are equal but for what the rest of the path leads to:
a list may have been reordered, and then the same position is another item.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Raw

from admission.engine.fieldpath import EveryEntry, Index, Items, Member, Segment
from admission.engine.places import keys_at
from admission.engine.values import Container, Key, Trail, Value, open_child, opened, same


def pairs(
    container: Container, partner: Container | None, segments: tuple[Segment, ...], trail: Trail = ()
) -> Iterator[tuple[Trail, Container, Key, Value | None]]:
    """Every place that a path leads to, as :func:`~admission.engine.places.walk` tells it, and the partner's value.

    The value is None where the partner has none that stands for the same, or the same bytes around it. Containers on
    the way are opened in place, on both sides.
    """
    segment, rest = segments[0], segments[1:]
    for key in keys_at(container, segment):
        found = _partner_of(container, partner, key, segment, rest)
        if not rest:
            yield trail, container, key, found
            continue
        if found is not None and equal_as_sent(container[key], found):  # type: ignore[index]
            found = None  # nothing in it is worth opening
        child = open_child(container, key)
        if child is not None:
            inside = None if found is None or partner is None else open_child(partner, key)
            yield from pairs(child, inside, rest, (*trail, key))


def equal_as_sent(one: Value, other: Value) -> bool:
    """True when two values are the same untouched bytes: what is inside need not be compared."""
    return type(one) is Raw and type(other) is Raw and one == other


def _partner_of(
    container: Container, partner: Container | None, key: Key, segment: Segment, rest: tuple[Segment, ...]
) -> Value | None:
    if partner is None or not _has(partner, key, segment):
        return None
    value: Value = partner[key]  # type: ignore[index]
    if isinstance(segment, Member | EveryEntry) or equal_around(container[key], value, rest):  # type: ignore[index]
        return value
    return None


def _has(partner: Container, key: Key, segment: Segment) -> bool:
    if isinstance(partner, dict):
        return isinstance(key, str) and key in partner
    return isinstance(segment, Items | Index) and key in segment.positions(len(partner))


def equal_around(one: Value, other: Value, segments: tuple[Segment, ...]) -> bool:
    """True when two values are equal but for the values that the path leads to in them."""
    if not segments or equal_as_sent(one, other):
        return True
    left, right = opened(one), opened(other)
    if isinstance(left, dict) and isinstance(right, dict):
        names = set(keys_at(left, segments[0]))
        return left.keys() == right.keys() and all(
            equal_around(value, right[name], segments[1:]) if name in names else same(value, right[name])
            for name, value in left.items()
        )
    if isinstance(left, list) and isinstance(right, list):
        positions = set(keys_at(left, segments[0]))
        return len(left) == len(right) and all(
            equal_around(item, right[at], segments[1:]) if at in positions else same(item, right[at])
            for at, item in enumerate(left)
        )
    return same(one, other)
