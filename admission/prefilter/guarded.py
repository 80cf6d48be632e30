"""CEL over values of which nobody knows what they are: no expression in here ever fails.

An expression that fails is worse than none: with ``failurePolicy: Ignore`` the API server then does not call the
webhook, and tells nobody but a metric. So every step into a value asks first what it is. What an expression may cost is
bounded, too: a list of more than some items is taken to hold what is looked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from admission.engine.fieldpath import EveryEntry, FieldPath, Member, Segment

OBJECT: Final = "object"
OLD_OBJECT: Final = "oldObject"
"""What CEL calls the object that is written, and the one that is stored (null for a new one)."""

_MOST_LOOKED_AT: Final = {1: 500, 2: 25}
"""Items that are looked at one by one: in a path with one list or map, and in one with two inside each other."""

_CHARACTERS_OF_A_UNIT: Final = 4

Test: TypeAlias = Callable[[str], str]
"""From an expression for a value to one that is true of it."""


@dataclass(frozen=True, slots=True)
class Cel:
    """An expression, and what it costs at most, in the units of the API server: 1,000,000 are too many."""

    text: str
    cost: int

    @classmethod
    def of(cls, text: str) -> Cel:
        """An expression without passes over lists or maps. An operator costs one or two, and takes more characters."""
        return cls(text, len(text) // _CHARACTERS_OF_A_UNIT + 1)

    def for_each(self, times: int, text: str) -> Cel:
        """The expression ``text``, which asks this one of so many items."""
        return Cel(text, times * self.cost + len(text) // _CHARACTERS_OF_A_UNIT)


_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESERVED: Final = frozenset(
    {"as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let", "loop"}
    | {"namespace", "null", "package", "return", "true", "var", "void", "while"}
)


def is_map(value: str) -> str:
    """True of an object."""
    return f"type({value}) == map"


def is_list(value: str) -> str:
    """True of a list."""
    return f"type({value}) == list"


def is_text(value: str) -> str:
    """True of a text."""
    return f"type({value}) == string"


def anything(value: str) -> str:
    """True of every value."""
    del value
    return "true"


def all_of(*parts: str | Cel) -> Cel:
    """True when all parts are."""
    found = [part for part in map(_cel, parts) if part.text != "true"] or [Cel.of("true")]
    return Cel(" && ".join(part.text for part in found), sum(part.cost for part in found))


def any_of(parts: Iterable[Cel]) -> Cel:
    """True when one of the parts is; of none, never."""
    found = list(dict.fromkeys(parts)) or [Cel.of("false")]
    text = found[0].text if len(found) == 1 else " || ".join(f"({part.text})" for part in found)
    return Cel(text, sum(part.cost for part in found))


def _cel(part: str | Cel) -> Cel:
    return part if isinstance(part, Cel) else Cel.of(part)


def reaches(path: FieldPath, test: Test) -> Cel:
    """True when the path leads, in the object that is written, to a value of which ``test`` is true.

    Slices and positions count as the whole list.
    """
    segments = path.segments
    passes = [at for at, segment in enumerate(segments) if not isinstance(segment, Member)]
    if len(passes) > len(_MOST_LOOKED_AT):
        segments, test = segments[: passes[len(_MOST_LOOKED_AT) - 1] + 1], anything
        passes = passes[: len(_MOST_LOOKED_AT)]
    return _reaches(OBJECT, segments, test, _MOST_LOOKED_AT.get(len(passes), 0))


def differs(path: FieldPath) -> Cel:
    """True when both objects hold something where the path leads to, as far as it does so by names, and it differs."""
    names = _names(path.segments)
    new, old = _at(OBJECT, names), _at(OLD_OBJECT, names)
    return all_of(_holds(OBJECT, names), _holds(OLD_OBJECT, names), f"{new} != {old}")


def _reaches(value: str, segments: Sequence[Segment], test: Test, most: int, depth: int = 0) -> Cel:
    if not segments:
        return Cel.of(test(value))
    segment, rest = segments[0], segments[1:]
    if isinstance(segment, Member):
        inside = _member(value, segment.name)
        return all_of(_may_be_entered(value), _has(value, segment.name), _reaches(inside, rest, test, most, depth))
    name = f"x{depth}"
    is_entry = isinstance(segment, EveryEntry)
    inside = f"{value}[{name}]" if is_entry else name
    found = _reaches(inside, rest, test, most, depth + 1)
    if found.text == "true":
        some = Cel.of(f"size({value}) > 0")
    else:
        some = found.for_each(most, f"(size({value}) > {most} || {value}.exists({name}, {found.text}))")
    return all_of(is_map(value) if is_entry else is_list(value), some)


def _names(segments: Sequence[Segment]) -> list[str]:
    names = []
    for segment in segments:
        if not isinstance(segment, Member):
            break
        names.append(segment.name)
    return names


def _holds(value: str, names: Sequence[str]) -> Cel:
    parts = []
    for name in names:
        parts += [_may_be_entered(value), _has(value, name)]
        value = _member(value, name)
    return all_of(*parts)


def _at(value: str, names: Sequence[str]) -> str:
    for name in names:
        value = _member(value, name)
    return value


def _may_be_entered(value: str) -> str:
    """True of an object. Of what is written that is known."""
    return "true" if value == OBJECT else is_map(value)


def _has(value: str, name: str) -> str:
    return f"has({value}.{name})" if _is_plain(name) else f"{_quoted(name)} in {value}"


def _member(value: str, name: str) -> str:
    return f"{value}.{name}" if _is_plain(name) else f"{value}[{_quoted(name)}]"


def _is_plain(name: str) -> bool:
    return _IDENTIFIER.fullmatch(name) is not None and name not in _RESERVED


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
