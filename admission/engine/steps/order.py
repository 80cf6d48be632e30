"""Which of several items is the newest."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from admission.engine.condition import Rank
from admission.engine.fieldpath import SELF, FieldPath
from admission.engine.instant import LONGEST_TIME, known_time, parse_time, parse_zoned_time
from admission.engine.places import read
from admission.engine.requirement import number
from admission.engine.texts import texts_of_each
from admission.engine.values import List, Object, Value, scalar_text, text_of

DEFAULT_TIME_FIELDS: Final = (
    "lastTransitionTime",
    "lastUpdateTime",
    "lastHeartbeatTime",
    "lastHeartBeatTime",
    "lastProbeTime",
)
"""Where conditions keep their time; the first that parses counts."""

TimeReader: TypeAlias = Callable[[str], int | None]
"""Nanoseconds since the epoch of a text, None when it is no known time."""

_DIGITS: Final = re.compile(r"(\d+)", re.ASCII)


class OrderKind(StrEnum):
    """What makes an item newer than another."""

    NEWEST_FIRST = "NewestFirst"
    NEWEST_LAST = "NewestLast"
    TIME = "Time"
    NUMBER = "Number"
    NATURAL = "Natural"


@dataclass(frozen=True, slots=True)
class Order:
    """Newness by position, or by a field of the item (``by``): the highest value is the newest.

    Items without a number or text count as oldest. When the time of any item that is compared is unknown, the
    position decides for the whole list (later is newer). Ties: the later position is newer.
    """

    kind: OrderKind
    by: FieldPath = SELF

    def ranks(self, items: List, compared: Collection[int]) -> list[Rank]:
        """A rank for every item; ``compared`` are the positions whose unknown times make the position decide."""
        match self.kind:
            case OrderKind.NEWEST_FIRST:
                return [(-position,) for position in range(len(items))]
            case OrderKind.NEWEST_LAST:
                return [(position,) for position in range(len(items))]
            case OrderKind.TIME:
                return time_ranks([self._time(items, position) for position in range(len(items))], compared)
            case OrderKind.NUMBER | OrderKind.NATURAL:
                keys = [self._key(items, position) for position in range(len(items))]
                return [((0, position) if key is None else (1, key, position)) for position, key in enumerate(keys)]

    def _value(self, items: List, position: int) -> Value | None:
        return next(iter(read(items, position, self.by)), None)

    def _time(self, items: List, position: int) -> int | None:
        return parse_time(text_of(self._value(items, position)) or "")

    def _key(self, items: List, position: int) -> object | None:
        value = self._value(items, position)
        text = None if value is None else scalar_text(value)
        if text is None or self.kind is OrderKind.NUMBER:
            return number(text)
        return natural_key(text)

    def __str__(self) -> str:
        return self.kind.value if not self.by.segments else f"{{by: {self.by}, as: {self.kind}}}"


NEWEST_LAST: Final = Order(OrderKind.NEWEST_LAST)


@dataclass(frozen=True, slots=True)
class EntryOrder:
    """Newness of the entries of a map: by their keys, or by a field of the entry. The highest is the newest.

    Keys compare naturally. They break ties, and decide for all entries where one that is compared has no known time.
    Entries without a number or text count as oldest.
    """

    by: Order | None = None

    def oldest_first(self, members: Object, names: Collection[str]) -> Sequence[str]:
        """The names of these entries, the oldest first."""
        named = sorted(names, key=natural_key)
        if self.by is None:
            return named
        values = [members[name] for name in named]
        ranks = self.by.ranks(values, range(len(values)))
        return [named[position] for position in sorted(range(len(values)), key=ranks.__getitem__)]


BY_KEY: Final = EntryOrder()
"""``exec-9`` is older than ``exec-10``."""


def time_ranks(times: Sequence[int | None], compared: Collection[int]) -> list[Rank]:
    """Ranks by time, or by position when a compared time is unknown."""
    if None not in times:
        if len(set(times)) == len(times):
            return list(times)  # numbers compare faster than tuples
        return list(zip(times, range(len(times)), strict=True))
    if None in map(times.__getitem__, compared):
        return [(position,) for position in range(len(times))]
    return [(-1 if time is None else 0, time or 0, position) for position, time in enumerate(times)]


def times_of(items: List, fields: tuple[str, ...]) -> list[int | None]:
    """The time of every item: the first of ``fields`` that parses."""
    return row_times(texts_of_each(items, fields))


def zoned_times_of(items: List, fields: tuple[str, ...]) -> list[int | None]:
    """The time of every item: the first of ``fields`` that parses and names its zone, as an age needs it."""
    return [None if row is None else first_time(row, parse=parse_zoned_time) for row in texts_of_each(items, fields)]


def row_times(rows: Sequence[Sequence[str | None] | None], start: int = 0) -> list[int | None]:
    """The time of every row of texts: the first from ``start`` on that parses."""
    texts = ["" if row is None else row[start] or "" for row in rows]
    if max(map(len, texts), default=0) <= LONGEST_TIME:
        times = list(map(known_time, texts))
        if None not in times:  # the first field has it, as a rule
            return times
    return [None if row is None else first_time(row, start) for row in rows]


def first_time(texts: Sequence[str | None], start: int = 0, parse: TimeReader = parse_time) -> int | None:
    """The first text from ``start`` on that is a known time, in nanoseconds."""
    for text in texts[start:]:
        if text is not None and (time := parse(text)) is not None:
            return time
    return None


def natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """A key that sorts ``exec-9`` before ``exec-10``. What follows the hundredth number is compared as text."""
    parts = enumerate(_DIGITS.split(text, _MOST_NUMBERS))
    return tuple((0, 0, part) if index % 2 == 0 else (1, _whole(part), part) for index, part in parts)


def _whole(digits: str) -> int:
    return (
        int(digits)
        if len(digits) <= _LONGEST_WHOLE
        else int(digits[:_LONGEST_WHOLE]) * 10 ** (min(len(digits), _LONGEST_SCALE) - _LONGEST_WHOLE)
    )


_LONGEST_WHOLE: Final = 4000  # Python refuses to read longer integers (CVE-2020-10735)
_LONGEST_SCALE: Final = 8000
_MOST_NUMBERS: Final = 100
"""No name has more; a text of a megabyte can have half a million, each with its own entry in the key."""
