"""Paths into JSON values: the dotted JSONPath subset of CRD printer columns, with wildcards and slices.

``status.conditions[*].message`` (every item), ``status.nodes.*.message`` (every entry of a map),
``status.annotations['a.b/c']`` (a quoted member), ``status.history[:-1].source`` (a slice, as in Python, without
a step), ``status.history[0].x`` and ``[-1]`` (an index). A leading ``.`` or ``$.`` is allowed and not printed back;
``.`` alone is the value itself. ``str(FieldPath.parse(text))`` reads back to an equal path.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from admission.errors import FieldPathError

_PLAIN: Final = re.compile(r"[^.\[\]'\"*\s$][^.\[\]'\"\s]*")
_BRACKET: Final = re.compile(
    r"\[(?:(?P<star>\*)|(?P<index>-?\d{1,9})|(?P<start>(?:-?\d{1,9})?):(?P<stop>(?:-?\d{1,9})?))\]"
)
_QUOTED: Final = re.compile(r"\[(?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\")\]", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an object, by name."""

    name: str

    def __str__(self) -> str:
        if _PLAIN.fullmatch(self.name):
            return f".{self.name}"
        escaped = self.name.replace("\\", "\\\\").replace("'", "\\'")
        return f"['{escaped}']"


@dataclass(frozen=True, slots=True)
class EveryEntry:
    """Every member of an object (``.*``)."""

    def __str__(self) -> str:
        return ".*"


@dataclass(frozen=True, slots=True)
class Items:
    """Items of a list: all of them (``[*]``) or a slice (``[1:-1]``)."""

    start: int | None = None
    stop: int | None = None

    def positions(self, length: int) -> range:
        """The positions that the slice covers in a list of ``length`` items."""
        return range(length)[self.start : self.stop]

    def __str__(self) -> str:
        if self.start is None and self.stop is None:
            return "[*]"
        return f"[{'' if self.start is None else self.start}:{'' if self.stop is None else self.stop}]"


@dataclass(frozen=True, slots=True)
class Index:
    """One item of a list; negative counts from the end."""

    index: int

    def positions(self, length: int) -> range:
        """The one position, or none when the list is too short."""
        position = self.index if self.index >= 0 else length + self.index
        return range(position, position + 1) if 0 <= position < length else range(0)

    def __str__(self) -> str:
        return f"[{self.index}]"


Segment = Member | EveryEntry | Items | Index


@dataclass(frozen=True, slots=True)
class FieldPath:
    """A parsed path. Equal paths are equal values; ``str`` prints it back."""

    segments: tuple[Segment, ...] = ()

    @classmethod
    def parse(cls, text: str) -> FieldPath:
        """Read a path.

        Raises:
            FieldPathError: with the position and what is allowed there.
        """
        if not text:
            raise FieldPathError("a path is empty; write for example status.conditions[*].message")
        if text in (".", "$"):
            return cls()
        return cls(tuple(_segments(text)))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the plain members, in order (``status.a[*].b`` → ``status, a, b``)."""
        return tuple(segment.name for segment in self.segments if isinstance(segment, Member))

    @property
    def parent(self) -> FieldPath:
        """The path without its last segment."""
        return FieldPath(self.segments[:-1])

    def __str__(self) -> str:
        return "".join(map(str, self.segments)).removeprefix(".") or "."


def _segments(text: str) -> list[Segment]:
    at = 1 if text[0] == "$" else 0
    found: list[Segment] = []
    while at < len(text):
        segment, at = _segment_at(text, at, first=not found and text[0] != "$")
        found.append(segment)
    return found


def _segment_at(text: str, at: int, *, first: bool) -> tuple[Segment, int]:
    if text[at] == "[":
        return _bracket_at(text, at)
    if text[at] == ".":
        at += 1
    elif not first:
        raise FieldPathError(f"{text!r}: expected '.' or '[' at character {at + 1}")
    if text.startswith("*", at):
        return EveryEntry(), at + 1
    plain = _PLAIN.match(text, at)
    if plain is None:
        raise FieldPathError(
            f"{text!r}: expected a field name at character {at + 1}; quote odd names as in status.annotations['a.b/c']"
        )
    return Member(plain.group()), plain.end()


def _bracket_at(text: str, at: int) -> tuple[Segment, int]:
    quoted = _QUOTED.match(text, at)
    if quoted is not None:
        raw = quoted.group(1) if quoted.group(1) is not None else quoted.group(2)
        return Member(_ESCAPE.sub(r"\1", raw)), quoted.end()
    bracket = _BRACKET.match(text, at)
    if bracket is None:
        raise FieldPathError(
            f"{text!r}: cannot read the bracket at character {at + 1}; use [*], [0], [-1], [:-1] or ['a.name']"
        )
    if bracket["star"]:
        return Items(), bracket.end()
    if bracket["index"] is not None:
        return Index(int(bracket["index"])), bracket.end()
    return Items(_bound(bracket["start"]), _bound(bracket["stop"])), bracket.end()


def _bound(text: str) -> int | None:
    return int(text) if text else None


SELF: Final = FieldPath()
"""The value itself (``.``)."""
