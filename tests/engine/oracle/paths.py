"""What paths lead to, in decoded JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from admission.engine.fieldpath import EveryEntry, FieldPath, Index, Items, Member, Segment
from tests.engine.build import Json

Trail: TypeAlias = tuple[str | int, ...]


def along(path: FieldPath, trail: Trail) -> bool:
    """True when a path may lead along a trail."""
    if len(path.segments) != len(trail):
        return False
    return all(_fits(segment, key) for segment, key in zip(path.segments, trail, strict=True))


def _fits(segment: Segment, key: str | int) -> bool:
    match segment:
        case Member(name):
            return key == name
        case EveryEntry():
            return isinstance(key, str)
        case Items() | Index():
            return isinstance(key, int)


def values_at(value: Json, segments: Sequence[Segment]) -> Iterator[Json]:
    """Everything that a path leads to."""
    for trail in places_at(value, segments):
        found = value
        for key in trail:
            found = found[key]
        yield found


def places_at(value: Json, segments: Sequence[Segment]) -> Iterator[Trail]:
    """The places of everything that a path leads to."""
    if not segments:
        yield ()
        return
    keys: list[str | int] = []
    match segments[0], value:
        case Member(name), dict() if name in value:
            keys = [name]
        case EveryEntry(), dict():
            keys = list(value)
        case (Items(), list()) | (Index(), list()):
            keys = list(segments[0].positions(len(value)))  # type: ignore[union-attr]
    for key in keys:
        yield from ((key, *rest) for rest in places_at(value[key], segments[1:]))
