"""Places in an object: where paths lead to in it, and pointers, which tell one place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from msgspec import Raw

from admission.engine.fieldpath import EveryEntry, FieldPath, Index, Items, Member, Segment
from admission.engine.values import Container, Key, Trail, Value, is_null, open_child

Opening: TypeAlias = Callable[[Container, Key], "Container | None"]
"""Opens what a container has at a key in place; None when it is a scalar."""


def walk(
    container: Container,
    segments: tuple[Segment, ...],
    trail: Trail = (),
    at_least: int = 0,
    opening: Opening = open_child,
) -> Iterator[tuple[Trail, Container, Key]]:
    """Every place that a path leads to: the trail to its container, the container, and the key in it.

    Containers on the way are opened in place by ``opening``. A path that meets an absent member or another type leads
    nowhere. Untouched values of fewer than ``at_least`` bytes are passed over unseen.
    """
    segment, rest = segments[0], segments[1:]
    for key in keys_at(container, segment):
        if at_least:
            value = container[key]  # type: ignore[index]
            if type(value) is Raw and len(value) < at_least:
                continue
        if not rest:
            yield trail, container, key
            continue
        child = opening(container, key)
        if child is not None:
            yield from walk(child, rest, (*trail, key), at_least, opening)


def keys_at(container: Container, segment: Segment) -> tuple[Key, ...] | range:
    """The keys of a container that one segment of a path leads to."""
    if type(segment) is Member:
        return (segment.name,) if type(container) is dict and segment.name in container else ()
    if type(segment) is EveryEntry:
        return tuple(container) if type(container) is dict else ()
    assert isinstance(segment, Items | Index), "there are no others"  # noqa: S101
    return segment.positions(len(container)) if type(container) is list else ()


def read(container: Container, key: Key, path: FieldPath) -> list[Value]:
    """The values that ``path`` leads to from ``container[key]``; ``null`` counts as absent."""
    if not path.segments:
        value = container[key]  # type: ignore[index]
        return [] if is_null(value) else [value]
    inside = open_child(container, key)
    if inside is None:
        return []
    found = (holder[name] for _, holder, name in walk(inside, path.segments))  # type: ignore[index]
    return [value for value in found if not is_null(value)]


def leads_to(path: FieldPath, trail: Trail) -> bool:
    """True when ``path`` could lead along ``trail`` (a slice covers any position)."""
    if len(path.segments) != len(trail):
        return False
    for segment, key in zip(path.segments, trail, strict=True):
        if type(segment) is Member:
            if segment.name != key:
                return False
        elif type(key) is not (str if type(segment) is EveryEntry else int):
            return False
    return True


def covers(segment: Segment, container: Container, key: Key) -> bool:
    """True when one segment of a path leads to what a container has at a key."""
    if type(segment) is Member:
        return segment.name == key
    if type(segment) is EveryEntry:
        return type(key) is str
    assert isinstance(segment, Items | Index), "there are no others"  # noqa: S101
    return type(key) is int and key in segment.positions(len(container))


def pointer(trail: Trail) -> str:
    """The RFC 6901 pointer of a trail."""
    return "".join(f"/{token(key)}" for key in trail)


def token(key: Key) -> str:
    """One reference token of a pointer, escaped."""
    return key.replace("~", "~0").replace("/", "~1") if isinstance(key, str) else str(key)
