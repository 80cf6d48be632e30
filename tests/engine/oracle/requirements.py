"""Requirements, judged on decoded JSON. Only the reading of times is the engine's."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

from admission.engine.instant import parse_duration, parse_time
from admission.engine.requirement import Operator, Requirement
from tests.engine.build import NOW, Json, Number
from tests.engine.oracle.paths import values_at


def holds(requirement: Requirement, whole: Json) -> bool:
    """True when some value at the field meets the requirement (for a negative one: when none is listed)."""
    found = [value for value in values_at(whole, requirement.field.segments) if value is not None]
    match requirement.operator:
        case Operator.EXISTS | Operator.DOES_NOT_EXIST:
            return bool(found) is (requirement.operator is Operator.EXISTS)
        case Operator.IN:
            return any(as_text(value) in requirement.values for value in found)
        case Operator.NOT_IN:
            return all(as_text(value) not in requirement.values for value in found)
        case Operator.LT | Operator.GT:
            sign = 1 if requirement.operator is Operator.LT else -1
            numbers = [number for number in map(as_number, found) if number.is_finite()]
            return any(sign * number < sign * Decimal(requirement.values[0]) for number in numbers)
        case _:
            return any(_is_of_an_age(requirement, value) for value in found if isinstance(value, str))


def as_text(value: Json) -> str | None:
    """A scalar as a requirement compares it; None for anything else."""
    match value:
        case str(text) | Number(text):
            return text
        case bool():
            return str(value).lower()
        case _:
            return None


def as_number(value: Json) -> Decimal:
    """The number that a scalar is or says; no number is NaN."""
    try:
        return Decimal(as_text(value) if isinstance(value, str | Number) else "NaN")  # type: ignore[arg-type]
    except InvalidOperation:
        return Decimal("NaN")


def _is_of_an_age(requirement: Requirement, text: str) -> bool:
    moment, age = parse_time(text), parse_duration(requirement.values[0])
    bound = parse_time(requirement.values[0]) if age is None else NOW - age
    if moment is None or bound is None or (age is not None and moment > NOW + 300 * 10**9):
        return False
    return moment < bound if requirement.operator is Operator.OLDER_THAN else moment > bound


def all_hold(requirements: Sequence[Requirement], whole: Json, stored: Json, roots: Sequence[str]) -> bool:
    """True when all hold, read as ``match.when`` is: the roots as they are, the rest as stored if it is."""
    if stored is not None:
        rest = {name: value for name, value in stored.items() if name not in roots}
        whole = rest | {name: value for name, value in whole.items() if name in roots}
    return all(holds(requirement, whole) for requirement in requirements)
