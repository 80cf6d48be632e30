"""Steps for lists of conditions in a policy file."""

from __future__ import annotations

from typing import Annotated, ClassVar, TypeAlias

from pydantic import Discriminator, Field, PlainValidator, Tag, WithJsonSchema

from admission.engine.condition import TYPE
from admission.engine.steps import CapConditions, Step
from admission.engine.steps.order import DEFAULT_TIME_FIELDS
from admission.policyfile.fields import AtLeastOne, FieldName, ListPath, Many, Some
from admission.policyfile.models.base import DEFAULT_CONDITIONS, LIST_PATH, TIME_FIELDS, StepModel
from admission.policyfile.models.choice import ALL, LIST, WORD, all_or, list_or_word

KeepTypes: TypeAlias = Annotated[
    Annotated[str, PlainValidator(all_or("a list of types such as [Ready]")), WithJsonSchema({"const": ALL}), Tag(WORD)]
    | Annotated[Many[str], Tag(LIST)],
    Discriminator(list_or_word),
]


class CapConditionsModel(StepModel):
    """Removes the oldest surplus of a list of conditions.

    Older duplicates of a type and conditions of types that may go leave in one order of age until `max` are left.
    The newest condition of every type stays, even above `max` (reason `CapUnreachable`), unless `keepTypes` lists
    the types that must stay. Items without a type neither count nor go. What stays keeps its place.
    """

    step: ClassVar[type[Step]] = CapConditions
    example: ClassVar[str] = "capConditions: {path: status.conditions, max: 20}"

    path: ListPath = Field(
        default=DEFAULT_CONDITIONS, description=LIST_PATH, json_schema_extra={"default": str(DEFAULT_CONDITIONS)}
    )
    max: AtLeastOne = Field(description="How many conditions may stay.")
    type_field: FieldName = Field(default=TYPE, description="The field that holds a condition's type.")
    keep_types: KeepTypes = Field(
        default=ALL,
        description="`All`, or a list of the types of which the newest must stay; others may then go, oldest first.",
    )
    time_fields: Some[FieldName] = Field(default=DEFAULT_TIME_FIELDS, description=TIME_FIELDS)

    def compile(self) -> CapConditions:
        """The engine's step."""
        keep_types = None if isinstance(self.keep_types, str) else self.keep_types
        return CapConditions(self.path, self.max, self.type_field, keep_types, self.time_fields)
