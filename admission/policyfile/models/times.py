"""Steps for times in a policy file."""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, TypeAlias

from pydantic import AfterValidator, Discriminator, Field, PlainValidator, Tag, WithJsonSchema, model_validator

from admission.engine.condition import PROTECTED_FIELDS, STATUS
from admission.engine.steps import RestoreTimes, Step
from admission.engine.steps.times import BY_TYPE, TRANSITION_TIME
from admission.policyfile.fields import FieldName, ListPath, OnePath, Some
from admission.policyfile.models.base import DEFAULT_CONDITIONS, StepModel
from admission.policyfile.models.choice import ALL, LIST, WORD, all_or, list_or_word
from admission.policyfile.wording import quote

_OF_LIVENESS: Final = ("heartbeat", "probe")


def _may_go_back(name: str) -> str:
    if name in PROTECTED_FIELDS:
        raise ValueError(f"machines read the {name} of a condition; name a time, for example {TRANSITION_TIME}")
    if any(word in name.lower() for word in _OF_LIVENESS):
        raise ValueError(f"{quote(name)} tells that somebody is alive, and must move; hold it back with suppress")
    return name


def _asks_for_the_status(names: tuple[str, ...]) -> tuple[str, ...]:
    if STATUS not in names:
        raise ValueError(f"without {STATUS} a transition would get an old time; write [{', '.join((STATUS, *names))}]")
    return names


Unless: TypeAlias = Annotated[
    Annotated[
        str,
        PlainValidator(all_or("a list of fields such as [status, reason]")),
        WithJsonSchema({"const": ALL}),
        Tag(WORD),
    ]
    | Annotated[Some[FieldName], AfterValidator(_asks_for_the_status), Tag(LIST)],
    Discriminator(list_or_word),
]


class RestoreTimesModel(StepModel):
    """Puts stored transition times back in conditions that are what they were.

    A controller that sets its times anew with every write wakes everybody who watches. A condition's twin is the
    stored one with the same `keys`; where the two are equal but for their times, the stored text of `fields` goes
    back, and a write that brings nothing else is no write. Keys that occur twice have no twin, a field that one side
    lacks is left alone, and both values must be texts. The list counts as a list of conditions. Below a wildcard over
    a list its items pair by position, and only where they are equal but for the lists that the path names; below one
    over a map by key.
    """

    step: ClassVar[type[Step]] = RestoreTimes
    example: ClassVar[str] = "restoreTimes: {path: status.conditions, fields: [lastTransitionTime]}"

    path: ListPath = Field(
        default=DEFAULT_CONDITIONS,
        description="The list. With wildcards, every list that it leads to.",
        json_schema_extra={"default": str(DEFAULT_CONDITIONS)},
    )
    keys: Some[OnePath] = Field(
        default=BY_TYPE,
        description="Fields of the item that make a stored one its twin.",
        json_schema_extra={"default": [str(key) for key in BY_TYPE]},
    )
    fields: Some[Annotated[FieldName, AfterValidator(_may_go_back)]] = Field(
        default=(TRANSITION_TIME,),
        description="The times that go back, and what moves with them (a `transitionID`). No heartbeat or probe times: "
        "they tell that somebody is alive.",
    )
    unless: Unless = Field(
        default=ALL,
        description="`All`: a difference in any field but `fields`, the usual times and `observedGeneration` is a "
        "transition. Or a list of the fields in which a difference is one; `status` must be among them.",
    )

    @model_validator(mode="after")
    def _can_differ(self) -> RestoreTimesModel:
        compared = () if isinstance(self.unless, str) else self.unless
        for name in self.fields:
            if name in compared:
                raise ValueError(f"{name} is in fields and in unless: it would go back only where it is equal already")
        return self

    def compile(self) -> RestoreTimes:
        """The engine's step."""
        return RestoreTimes(self.path, self.keys, self.fields, None if isinstance(self.unless, str) else self.unless)
