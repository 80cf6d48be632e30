"""Words of explanations: lists, counts, durations, requirements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from admission.engine.instant import DAY, HOUR, MINUTE, SECOND, parse_time
from admission.engine.requirement import Operator, Requirement
from admission.engine.steps.order import Order, OrderKind
from admission.quantity import as_quantity

_UNITS: Final = ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute"), (SECOND, "second"))
_KI: Final = 1024
_MILLISECOND: Final = 1_000_000


def together(words: Iterable[object], joined: str = "and") -> str:
    """Words as an enumeration: ``a, b and c``."""
    *first, last = map(str, words)
    return f"{', '.join(first)} {joined} {last}" if first else last


def counted(number: int, noun: str) -> str:
    """``1 byte``, ``2 bytes``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def size(number: int) -> str:
    """Bytes, exactly: ``4Ki``, ``32000 bytes``."""
    return as_quantity(number) if number % _KI == 0 else counted(number, "byte")


def duration(nanoseconds: int) -> str:
    """``5 minutes``, ``1 hour and 30 minutes``."""
    parts = []
    for unit, name in _UNITS:
        number, nanoseconds = divmod(nanoseconds, unit)
        if number:
            parts.append(counted(number, name))
    if nanoseconds or not parts:
        parts.append(f"{nanoseconds / _MILLISECOND:g} milliseconds")
    return together(parts)


def sentence(*parts: str) -> str:
    """Parts with blanks between them, as a sentence."""
    text = " ".join(part for part in parts if part)
    return f"{text[:1].upper()}{text[1:]}."


def all_of(requirements: Sequence[Requirement]) -> str:
    """Requirements that must all hold: ``state is Running and finishedAt is absent``."""
    return together(map(requirement, requirements))


def requirement(one: Requirement) -> str:
    """One requirement in words."""
    what = "the item itself" if not one.field.segments else str(one.field)
    values = together(one.values, "or") if one.values else ""
    match one.operator:
        case Operator.OLDER_THAN:
            return f"{what} is {_aged(values, 'older', 'before')}"
        case Operator.NEWER_THAN:
            return f"{what} is {_aged(values, 'newer', 'after')}"
        case operator:
            return f"{what} {_RELATIONS[operator]} {values}".rstrip()


_RELATIONS: Final = {
    Operator.IN: "is",
    Operator.NOT_IN: "is not",
    Operator.EXISTS: "is there",
    Operator.DOES_NOT_EXIST: "is absent",
    Operator.LT: "is below",
    Operator.GT: "is above",
}


def _aged(value: str, comparative: str, relation: str) -> str:
    return f"{relation} {value}" if parse_time(value) is not None else f"{comparative} than {value}"


def newest_is(order: Order) -> str:
    """What makes an item the newest."""
    match order.kind:
        case OrderKind.NEWEST_FIRST:
            return "the first one is the newest"
        case OrderKind.NEWEST_LAST:
            return "the last one is the newest"
        case OrderKind.TIME:
            return f"the one with the latest {order.by} is the newest"
        case OrderKind.NUMBER:
            return f"the one with the highest {order.by} is the newest"
        case OrderKind.NATURAL:
            return f"the one with the highest {order.by}, numbers in it counted as numbers, is the newest"
