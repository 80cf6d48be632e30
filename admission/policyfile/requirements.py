"""Requirements and pins in a policy file."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import Field, ValidationInfo, field_validator

from admission.engine.instant import parse_duration, parse_time
from admission.engine.pin import KeepWhere
from admission.engine.requirement import TIMED, WITH_ONE_VALUE, WITHOUT_VALUES, Operator, Requirement, number
from admission.policyfile.fields import AtLeastOne, Many, Model, Path, Some, Word
from admission.policyfile.wording import quote


class RequirementModel(Model):
    """One comparison. Deliberately not an expression language."""

    field: Path = Field(
        description="What is compared: a path below the item (pins), where `.` is the item itself, or below the object "
        "(`when`). Where a wildcard finds several values, `NotIn` and `DoesNotExist` hold when none of them does, the "
        "others when any does."
    )
    operator: Word[Operator] = Field(
        description="How it is compared: as text (`In`, `NotIn`; booleans are `true` and `false`), for being there "
        "(`null` is not), as a number (`Lt`, `Gt`; numeric strings too), or as a time."
    )
    values: Many[str] = Field(
        default=(),
        description="Texts, so quote numbers and booleans. None for `Exists` and `DoesNotExist`; one number for `Lt` "
        "and `Gt`; one duration back from now (`90s`, `5m`, `7d`) or one time for `OlderThan` and `NewerThan`.",
    )

    @field_validator("values")
    @classmethod
    def _fit_the_operator(cls, values: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        operator = info.data.get("operator")
        if operator is not None:
            _check_count(operator, values)
            _check_value(operator, values)
        return values

    def compile(self) -> Requirement:
        """The engine's requirement."""
        return Requirement(self.field, self.operator, self.values)


def _check_count(operator: Operator, values: tuple[str, ...]) -> None:
    if operator in WITHOUT_VALUES and values:
        raise ValueError(f"{operator} takes no values; leave them out, or write In")
    if operator in WITH_ONE_VALUE and len(values) != 1:
        raise ValueError(f"{operator} takes exactly one value, found {len(values)}")
    if operator not in WITHOUT_VALUES and not values:
        raise ValueError(f"{operator} needs at least one value; to ask whether the field is there write Exists")


def _check_value(operator: Operator, values: tuple[str, ...]) -> None:
    if operator in TIMED and parse_duration(values[0]) is None and parse_time(values[0]) is None:
        raise ValueError(
            f"{quote(values[0])} is no duration and no time; write for example 5m, 7d or 2026-01-01T00:00:00Z"
        )
    if operator in (Operator.LT, Operator.GT) and number(values[0]) is None:
        raise ValueError(f'{quote(values[0])} is no number; write for example "5"')


Requirements: TypeAlias = Many[RequirementModel]


def compiled(requirements: tuple[RequirementModel, ...]) -> tuple[Requirement, ...]:
    """The engine's requirements."""
    return tuple(requirement.compile() for requirement in requirements)


class KeepWhereModel(Model):
    """A pin: items that stay, whatever their age."""

    all: Some[RequirementModel] = Field(description="Requirements on the item; all must hold.")
    newest: AtLeastOne | None = Field(default=None, description="Pin only so many of them, the newest.")

    def compile(self) -> KeepWhere:
        """The engine's pin."""
        return KeepWhere(compiled(self.all), self.newest)
