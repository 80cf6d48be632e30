"""Requirements: ``{field, operator, values}``, deliberately not an expression language.

A requirement compiles to CEL for pre-filters and costs nanoseconds. Fields are relative to an item (pins, eviction)
or to the object (``when``). With a wildcard several values may be found: the positive operators hold when any of
them does, ``NotIn`` and ``DoesNotExist`` when none of them does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Final

from admission.engine.fieldpath import FieldPath
from admission.engine.instant import CLOCK_SKEW, parse_duration, parse_time
from admission.engine.places import read
from admission.engine.values import Container, Key, Value, scalar_text, text_of


class Operator(StrEnum):
    """How a requirement compares."""

    IN = "In"
    NOT_IN = "NotIn"
    EXISTS = "Exists"
    DOES_NOT_EXIST = "DoesNotExist"
    LT = "Lt"
    GT = "Gt"
    OLDER_THAN = "OlderThan"
    NEWER_THAN = "NewerThan"


WITHOUT_VALUES: Final = frozenset({Operator.EXISTS, Operator.DOES_NOT_EXIST})
WITH_ONE_VALUE: Final = frozenset({Operator.LT, Operator.GT, Operator.OLDER_THAN, Operator.NEWER_THAN})
TIMED: Final = frozenset({Operator.OLDER_THAN, Operator.NEWER_THAN})


@dataclass(frozen=True, slots=True)
class Requirement:
    """One comparison of the values at a field.

    ``values`` are texts: booleans are ``true`` and ``false``, numbers are compared as numbers by ``Lt`` and ``Gt``;
    ``OlderThan`` and ``NewerThan`` take one duration back from now (``5m``, ``7d``) or one time.
    """

    field: FieldPath
    operator: Operator
    values: tuple[str, ...] = ()

    def met(self, holder: Container, key: Key, now: int) -> bool:
        """True when ``holder[key]`` (an item, or the object) meets the requirement at ``now`` (nanoseconds)."""
        found = read(holder, key, self.field)
        match self.operator:
            case Operator.EXISTS:
                return bool(found)
            case Operator.DOES_NOT_EXIST:
                return not found
            case Operator.IN:
                return self._lists_one_of(found)
            case Operator.NOT_IN:
                return not self._lists_one_of(found)
            case Operator.LT | Operator.GT:
                return any(map(self._compares, found))
            case _:
                return any(self._ages(value, now) for value in found)

    def _lists_one_of(self, found: Sequence[Value]) -> bool:
        for value in found:  # noqa: SIM110 - a generator costs more than the rest, for each of 100,000 entries
            if scalar_text(value) in self.values:
                return True
        return False

    def _compares(self, value: Value) -> bool:
        found, bound = number(scalar_text(value)), number(self.values[0])
        if found is None or bound is None:
            return False
        return found < bound if self.operator is Operator.LT else found > bound

    def _ages(self, value: Value, now: int) -> bool:
        moment = parse_time(text_of(value) or "")
        age = parse_duration(self.values[0])
        bound = now - age if age is not None else parse_time(self.values[0])
        if moment is None or bound is None or (age is not None and moment > now + CLOCK_SKEW):
            return False  # a time from the future tells nothing about an age
        return moment < bound if self.operator is Operator.OLDER_THAN else moment > bound

    def __str__(self) -> str:
        values = f" [{', '.join(self.values)}]" if self.values else ""
        return f"{self.field} {self.operator}{values}"


def all_met(requirements: tuple[Requirement, ...], holder: Container, key: Key, now: int) -> bool:
    """True when every requirement holds; also when there is none."""
    for requirement in requirements:  # noqa: SIM110 - as above
        if not requirement.met(holder, key, now):
            return False
    return True


_NUMBER: Final = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_LONGEST_NUMBER: Final = 400  # a float64 written out in full is shorter


def number(text: str | None) -> Decimal | None:
    """The number that a scalar's text stands for (numeric strings too), exactly, or None."""
    if not text or len(text) > _LONGEST_NUMBER or not _NUMBER.fullmatch(text):
        return None
    return Decimal(text)
