"""A path, followed through the schema of a kind."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import Final, TypeAlias

from admission.crd.shape import ANYTHING, Shape, Type
from admission.engine.fieldpath import EveryEntry, FieldPath, Index, Items, Member, Segment
from admission.nearest import nearest
from admission.offline.fit.remark import Remark

_OF_EVERY_OBJECT: Final = frozenset({"apiVersion", "kind", "metadata"})
_MOST_NAMED: Final = 8
_SCALARS: Final = frozenset({Type.TEXT, Type.NUMBER, Type.BOOLEAN})


@dataclass(frozen=True, slots=True)
class Found:
    """Where a path leads to: the value itself, and what it is in."""

    shape: Shape
    holder: Shape


Traced: TypeAlias = "Found | Remark"


def trace(root: Shape, path: FieldPath, wanted: Set[Type] = frozenset(Type)) -> Traced:
    """Follow a path from the object on; a remark when it leads nowhere, or to where the schema says nothing.

    Where a wildcard leads to several fields, one of a ``wanted`` type is found before others.
    """
    first = path.segments[0] if path.segments else None
    if isinstance(first, Member) and first.name in _OF_EVERY_OBJECT:
        return Found(ANYTHING, ANYTHING)
    return _Walk(path, wanted).on(Found(root, root), 0)


@dataclass(frozen=True, slots=True)
class _Walk:
    path: FieldPath
    wanted: Set[Type]

    def on(self, here: Found, at: int) -> Traced:
        """Follow what is left of the path from its segment ``at`` on."""
        if at == len(self.path.segments):
            return here
        shape, segment = here.shape, self.path.segments[at]
        if shape.type in _SCALARS:
            return Remark(
                f"{self._until(at)} is {shape.type} in", f"; nothing is below it, and {self.path} leads nowhere"
            )
        ways = self._ways(shape, segment)
        if not ways:
            return self._lost(shape, segment, at)
        results = [self.on(Found(way, shape), at + 1) for way in ways]
        return min(results, key=self._distance)

    def _ways(self, shape: Shape, segment: Segment) -> list[Shape]:
        match segment:
            case Member(name):
                found = shape.members.get(name, shape.entries)
                return [] if found is None else [found]
            case EveryEntry():
                others = ANYTHING if shape.keeps_unknown and shape.members else shape.entries
                return [*shape.members.values(), *([others] if others is not None else [])]
            case _:
                return [shape.items] if shape.type is Type.LIST else []

    def _lost(self, shape: Shape, segment: Segment, at: int) -> Remark:
        here, into_items = self._until(at), isinstance(segment, Items | Index)
        if shape.type is Type.LIST:
            return Remark(f"{here} is a list in", f"; write {self._with(at, Items())}")
        if into_items and shape.type is Type.MAP:
            return Remark(f"{here} is a map in", f"; write {self._with(at + 1, EveryEntry(), at)}")
        if into_items and shape.type is Type.OBJECT and not shape.keeps_unknown:
            return Remark(f"{here} is an object with named fields in", f", no list; {_those(shape)}")
        if shape.keeps_unknown or shape.type is Type.ANY:
            return Remark(f"{here} may hold anything in", f", so {self.path} is not checked", wrong=False)
        return Remark(f"{self._until(at + 1)} is not in the schema of", f"; {self._meant(shape, segment, at)}")

    def _meant(self, shape: Shape, segment: Segment, at: int) -> str:
        close = nearest(segment.name, shape.members) if isinstance(segment, Member) else None
        return f"did you mean {self._with(at + 1, Member(close), at)}?" if close is not None else _those(shape)

    def _distance(self, result: Traced) -> int:
        """How far a result is from what is wanted: what may be there is nearer than what is there of another type."""
        if isinstance(result, Found):
            return 0 if result.shape.type in self.wanted else 2
        return 3 if result.wrong else 1

    def _until(self, at: int) -> str:
        return str(FieldPath(self.path.segments[:at])) if at else "the object"

    def _with(self, rest: int, segment: Segment, at: int | None = None) -> FieldPath:
        """The path with a segment put in before ``rest``, in place of what stands from ``at`` on."""
        head = self.path.segments[: rest if at is None else at]
        return FieldPath((*head, segment, *self.path.segments[rest:]))


def _those(shape: Shape) -> str:
    names = sorted(shape.members)
    if not names:
        return "the schema names no field there, so the API server stores none"
    more = len(names) - _MOST_NAMED
    return f"its fields are {', '.join(names[:_MOST_NAMED])}" + (f" and {more} more" if more > 0 else "")
