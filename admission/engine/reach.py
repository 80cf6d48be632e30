"""Reading along a path without opening anything in place: what is only looked at stays the bytes that it was."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Raw

from admission.engine.fieldpath import Segment
from admission.engine.places import keys_at
from admission.engine.values import ANY_NUMBER, Trail, Value, opened


def reach(
    value: Value, segments: tuple[Segment, ...], trail: Trail, at_least: int = 0
) -> Iterator[tuple[Trail, Value]]:
    """Every value that the segments lead to from a value, each with its trail (``trail`` is the way to ``value``).

    Untouched values of fewer than ``at_least`` bytes are passed over, with all that is in them.
    """
    if type(value) is Raw and len(value) < at_least:
        return
    if not segments:
        yield trail, value
        return
    inside = opened(value, ANY_NUMBER)
    if inside is None:
        return
    for key in keys_at(inside, segments[0]):
        yield from reach(inside[key], segments[1:], (*trail, key), at_least)  # type: ignore[index]
