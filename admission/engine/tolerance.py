"""How far a value may be from what is stored and still be nothing new: the ``within`` of a suppress rule.

Numbers are compared exactly, as numbers or as texts that hold one. A value that changes its JSON type is always new.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Protocol

from admission.engine.instant import parse_time
from admission.engine.values import Value, first_byte, scalar_text, text_of

_NUMBER: Final = re.compile(r"-?\d{1,64}(?:\.\d{1,64})?(?:[eE][+-]?\d{1,3})?", re.ASCII)
_LONGEST_NUMBER: Final = 128
_HUNDRED: Final = 100
_DIGITS: Final = b"-0123456789"
_LITERALS: Final = b"tf"
_QUOTE: Final = b'"'


class Tolerance(Protocol):
    """Judges one leaf that differs."""

    def covers(self, stored: Value, sent: Value) -> bool:
        """True when what was sent is nothing new beside what is stored."""
        ...


@dataclass(frozen=True, slots=True)
class Times:
    """Two known times, however far apart."""

    def covers(self, stored: Value, sent: Value) -> bool:
        """True when both are known times."""
        return known_time_of(stored) is not None and known_time_of(sent) is not None


@dataclass(frozen=True, slots=True)
class Percent:
    """Two numbers, or two texts that hold one, that differ by at most ``share`` percent of the stored one."""

    share: Fraction

    def covers(self, stored: Value, sent: Value) -> bool:
        """True when both are numbers and close enough."""
        before, now = _numbers(stored, sent)
        return before is not None and now is not None and abs(now - before) * _HUNDRED <= abs(before) * self.share


@dataclass(frozen=True, slots=True)
class Amount:
    """Two numbers, or two texts that hold one, that differ by at most ``most``."""

    most: Fraction

    def covers(self, stored: Value, sent: Value) -> bool:
        """True when both are numbers and close enough."""
        before, now = _numbers(stored, sent)
        return before is not None and now is not None and abs(now - before) <= self.most


@dataclass(frozen=True, slots=True)
class AnyValue:
    """Two scalars of one type, whatever they say; ``null`` has a type of its own."""

    def covers(self, stored: Value, sent: Value) -> bool:
        """True when both are texts, numbers or booleans."""
        kind = _kind(stored)
        return kind is not None and kind == _kind(sent)


def known_time_of(value: Value) -> int | None:
    """Nanoseconds since the epoch of a text that is a known time."""
    text = text_of(value)
    return None if text is None else parse_time(text)


def _numbers(stored: Value, sent: Value) -> tuple[Fraction | None, Fraction | None]:
    kind = _kind(stored)
    if kind not in (_DIGITS, _QUOTE) or kind != _kind(sent):
        return None, None
    return _number(stored), _number(sent)


def _number(value: Value) -> Fraction | None:
    text = scalar_text(value)
    if text is None or len(text) > _LONGEST_NUMBER or not _NUMBER.fullmatch(text):
        return None
    return Fraction(text)


def _kind(value: Value) -> bytes | None:
    """The JSON type of a scalar, as the bytes that its text can begin with; None for everything else."""
    if isinstance(value, dict | list):
        return None
    byte = first_byte(value)
    return next((kind for kind in (_QUOTE, _DIGITS, _LITERALS) if byte in kind), None)
