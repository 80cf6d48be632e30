"""Heartbeat rules in a policy file: differences that may wait."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from admission.engine.suppress import SuppressRule
from admission.engine.tolerance import Amount, AnyValue, Percent, Times, Tolerance
from admission.policyfile.fields import Duration, Model, Path, Some
from admission.policyfile.wording import found
from admission.quantity import parse_quantity

_MOST_PERCENT: Final = 100


def _read_percent(value: Any) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"expected a number, found {found(value)}; write for example 5")
    share = Fraction(str(value)) if value == value and abs(value) <= _MOST_PERCENT else None  # noqa: PLR0124 - not a NaN
    if share is None or share <= 0:
        raise ValueError(f"{value} is no share above 0 and up to {_MOST_PERCENT}; write for example 5")
    return share


def _read_amount(value: Any) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"expected a quantity, found {found(value)}; write for example 100Mi, 50 or 0.5")
    try:
        amount = Decimal(str(value)) if not isinstance(value, str) else parse_quantity(value)
    except ValueError as error:
        raise ValueError(str(error)) from error
    if not amount.is_finite() or amount <= 0:
        raise ValueError(f"{value} is not above 0; write for example 100Mi, 50 or 0.5")
    return Fraction(amount)


Share: TypeAlias = Annotated[
    Fraction,
    BeforeValidator(_read_percent),
    WithJsonSchema({"type": "number", "exclusiveMinimum": 0, "maximum": _MOST_PERCENT}),
]
AmountOf: TypeAlias = Annotated[
    Fraction,
    BeforeValidator(_read_amount),
    WithJsonSchema({"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "string"}], "format": "quantity"}),
]


class WithinModel(Model):
    """How far a number may be from the stored one: a share of it, or an amount.

    Compared exactly, with what is stored and not with the last value that was sent, so small steps add up until one
    passes.
    """

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["percent"]}, {"required": ["quantity"]}]},
    )

    percent: Share | None = Field(default=None, description="At most this share of the stored number, in percent.")
    quantity: AmountOf | None = Field(default=None, description="At most this much more or less (`100Mi`, `0.5`).")

    @model_validator(mode="after")
    def _is_one(self) -> WithinModel:
        if (self.percent is None) == (self.quantity is None):
            raise ValueError("write percent: 5, or quantity: 100Mi, and not both")
        return self

    def compile(self) -> Tolerance:
        """The engine's tolerance."""
        if self.percent is not None:
            return Percent(self.percent)
        assert self.quantity is not None, "it was checked"  # noqa: S101
        return Amount(self.quantity)


class SuppressModel(Model):
    """Differences that may wait: a write that brings nothing else is held back, and costs etcd nothing.

    When everything is trimmed, the result is compared with what is stored. The write becomes a no-op when every field
    that differs is covered, by this rule or by another one of any policy that looks at the write, and is stored no
    longer than `maxStaleness`. One difference that is not covered, and the whole write passes with all its fresh
    values: so does a field that appears or goes, a list that gets longer or shorter, and a value of another type. When
    nothing says how old the stored value is (its own time, or that of the manager that owns it), the write passes, too.

    Kubernetes keeps one time for all that a manager owns. A controller that writes this field apart from others makes
    it look as fresh as its last write of any of them: a number may then stay longer, within its distance, and any value
    as long as the others change more often than `maxStaleness`. A time tells its age itself, whoever writes what.
    """

    fields: Some[Path] = Field(
        description="The fields themselves, not what holds them. Items of lists are compared by position."
    )
    max_staleness: Duration = Field(
        description="The oldest that a stored value may get (`60s`, `5m`): when it is older, the write passes. Keep it "
        "well below any timeout that somebody measures from the field."
    )
    within: WithinModel | None = Field(
        default=None,
        description="For numbers, also as text: how close to the stored one. Without it (and without `anyValue`) only "
        "times are covered.",
    )
    any_value: Literal[True] | None = Field(
        default=None,
        description="Covers any text, number or boolean. A change that matters may then come late: with the first "
        "write after `maxStaleness`, for what is held back is kept nowhere. Only for fields that are written again and "
        "again.",
    )

    @model_validator(mode="after")
    def _has_one_measure(self) -> SuppressModel:
        if self.within is not None and self.any_value is not None:
            raise ValueError("has within and anyValue; any value is within any distance, write one of them")
        return self

    def compile(self) -> SuppressRule:
        """The engine's rule."""
        return SuppressRule(self.fields, self.max_staleness, self._tolerance)

    @property
    def _tolerance(self) -> Tolerance:
        if self.within is not None:
            return self.within.compile()
        return AnyValue() if self.any_value else Times()
