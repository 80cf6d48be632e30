"""The rules of ``expire`` and ``capMap``, said slowly, over decoded JSON. Only the reading of times is the engine's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cmp_to_key, partial
from typing import Any

from admission.engine.fieldpath import FieldPath
from admission.engine.instant import parse_time
from admission.engine.steps import CapMap, Expire
from admission.engine.steps.order import Order, OrderKind
from tests.engine.build import Json, Number
from tests.engine.oracle.paths import values_at
from tests.engine.oracle.requirements import as_number, as_text, holds


def expired_by_the_book(step: Expire, items: Sequence[Json], now: int) -> list[int]:
    """The positions of what stays in a list that holds no conditions."""
    times = [_zoned_time(item, step.time_fields) for item in items]
    places = range(len(items))
    pinned = {n for n in places for pin in step.keep_where if pin.newest is None and _meets(pin.all, items[n])}
    free = [n for n in places if n not in pinned]
    known, ties = None not in [times[n] for n in free], _usable(step.order, [items[n] for n in free])

    def newer(left: int, right: int) -> int:
        one, other = times[left], times[right]
        if known and one != other:
            return _compared(one, other)
        return _newer(ties, items, left, right)

    newest_first = sorted(places, key=cmp_to_key(newer), reverse=True)
    for pin in step.keep_where:
        if pin.newest is not None:
            pinned.update([n for n in newest_first if _meets(pin.all, items[n])][: pin.newest])
    staying = pinned.union([n for n in newest_first if n not in pinned][: step.keep_newest])
    return [n for n in places if n in staying or times[n] is None or times[n] >= now - step.older_than]  # type: ignore[operator]


def evicted_by_the_book(step: CapMap, entries: dict[str, Json]) -> list[str]:
    """The keys of what stays in a map that holds no conditions."""
    going = sorted((key for key in entries if _meets(step.evict_where, entries[key])), key=natural)
    if step.order.by is not None:
        values = [entries[key] for key in going]
        by = _usable(step.order.by, values)
        going = [going[place] for place in sorted(range(len(going)), key=cmp_to_key(partial(_newer, by, values)))]
    gone = going[: max(0, len(entries) - step.max)]
    return [key for key in entries if key not in gone]


def natural(text: str) -> list[Any]:
    """Text and numbers in turns; equal numbers by how they are written."""
    return [(int(part), part) if at % 2 else part for at, part in enumerate(re.split("([0-9]+)", text))]


def _meets(requirements: Sequence[Any], value: Json) -> bool:
    return all(holds(requirement, value) for requirement in requirements)


def _zoned_time(item: Json, fields: Sequence[str]) -> int | None:
    texts = [item.get(field) for field in fields] if isinstance(item, dict) else []
    return next(_known(text for text in texts if isinstance(text, str) and re.search("([Zz]|[+-]..:?..)$", text)), None)


def _known(texts: Iterator[str]) -> Iterator[int]:
    return (time for time in map(parse_time, texts) if time is not None)


def _time_at(value: Json, field: FieldPath) -> int | None:
    found = next(iter(values_at(value, field.segments)), None)
    return parse_time(found) if isinstance(found, str) else None


def _usable(order: Order, values: Sequence[Json]) -> Order:
    """The order; by position where it compares times, and one of them is unknown."""
    unknown = order.kind is OrderKind.TIME and None in [_time_at(value, order.by) for value in values]
    return Order(OrderKind.NEWEST_LAST) if unknown else order


def _newer(order: Order, items: Sequence[Json], left: int, right: int) -> int:
    """Above 0 when the item at ``left`` is newer."""
    match order.kind:
        case OrderKind.NEWEST_FIRST:
            return right - left
        case OrderKind.NEWEST_LAST:
            return left - right
        case _:
            keys = [_key(order, items[place]) for place in (left, right)]
            return _compared(*keys) or left - right


def _key(order: Order, value: Json) -> Any:
    if order.kind is OrderKind.TIME:
        return _time_at(value, order.by)
    found = next((one for one in values_at(value, order.by.segments) if one is not None), None)
    text = as_text(found)
    if order.kind is OrderKind.NATURAL:
        return None if text is None else natural(text)
    number = as_number(found) if isinstance(found, str | Number) else None
    return number if number is not None and number.is_finite() else None


def _compared(one: Any, other: Any) -> int:
    """Like a subtraction; nothing is less than anything."""
    if one is None or other is None:
        return (one is not None) - (other is not None)
    return int(one > other) - int(one < other)
