"""Whether two paths can lead to the same value."""

from __future__ import annotations

from admission.engine.fieldpath import EveryEntry, FieldPath, Index, Items, Member, Segment


def leads_into(path: FieldPath, changed: FieldPath) -> bool:
    """True when ``path`` can lead to what ``changed`` leads to, or to something inside of it."""
    length = len(changed.segments)
    return length <= len(path.segments) and may_meet(FieldPath(path.segments[:length]), changed)


def may_meet(one: FieldPath, other: FieldPath) -> bool:
    """True when two paths can lead to the same value."""
    return len(one.segments) == len(other.segments) and all(map(_segments_meet, one.segments, other.segments))


def _segments_meet(one: Segment, other: Segment) -> bool:
    match one, other:
        case Member(), Member():
            return one == other
        case Index(index=left), Index(index=right):
            return left == right or (left < 0) != (right < 0)
        case (Member() | EveryEntry(), Member() | EveryEntry()) | (Items() | Index(), Items() | Index()):
            return True
        case _:
            return False
