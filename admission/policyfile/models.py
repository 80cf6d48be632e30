"""The steps in a policy file: one model a step.

Field descriptions and docstrings are the source of the reference in ``policies/README.md`` and of the JSON Schema.
To add a step: write its model here, with the engine's class in ``step`` and a small ``example``, and list it in
:data:`STEP_MODELS`.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar, Final, TypeAlias

from pydantic import (
    Discriminator,
    Field,
    PlainValidator,
    Tag,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from admission.engine.condition import TYPE
from admission.engine.fieldpath import FieldPath
from admission.engine.steps import CapConditions, CapList, Dedupe, Step, Truncate
from admission.engine.steps.lists import Keep, Position, Scope
from admission.engine.steps.order import DEFAULT_TIME_FIELDS
from admission.engine.steps.strings import BYTES, DEFAULT_MARKER, MOST_DIGITS, KeepPart
from admission.policyfile.fields import (
    AtLeastOne,
    AtLeastZero,
    Bytes,
    FieldName,
    ListPath,
    Many,
    Model,
    OnePath,
    Path,
    Some,
    Word,
)
from admission.policyfile.order import OrderField, compiled_order
from admission.policyfile.requirements import KeepWhereModel
from admission.policyfile.wording import found, quote


class StepModel(Model):
    """What every step's model has. Its docstring is the step's section in the reference."""

    step: ClassVar[type[Step]]
    """The engine's class."""
    example: ClassVar[str]
    """One entry of ``trim`` in YAML, for the reference; a test loads it."""

    def compile(self) -> Step:
        """The engine's step."""
        raise NotImplementedError


ESCAPED_BY_GO: Final = re.compile('[\x00-\x1f"\\\\<>&\u2028\u2029]')
"""What Go's JSON escapes, and etcd therefore stores longer than it is."""

_LIST_PATH: Final = "The list. With wildcards, every list that it leads to is trimmed by itself."
_TIME_FIELDS: Final = "Where an item keeps its time: the first of these fields that holds a known one counts."
DEFAULT_CONDITIONS: Final = FieldPath.parse("status.conditions")


def _read_all(value: Any) -> str:
    if value != ALL:
        raise ValueError(f"{found(value)} is no choice; write {ALL}, or a list of types such as [Ready]")
    return ALL


ALL: Final = "All"
_LIST_TAG, _WORD_TAG = "<list>", "<word>"
KeepTypes: TypeAlias = Annotated[
    Annotated[str, PlainValidator(_read_all), WithJsonSchema({"const": ALL}), Tag(_WORD_TAG)]
    | Annotated[Many[str], Tag(_LIST_TAG)],
    Discriminator(lambda value: _LIST_TAG if isinstance(value, list | tuple) else _WORD_TAG),
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
        default=DEFAULT_CONDITIONS, description=_LIST_PATH, json_schema_extra={"default": str(DEFAULT_CONDITIONS)}
    )
    max: AtLeastOne = Field(description="How many conditions may stay.")
    type_field: FieldName = Field(default=TYPE, description="The field that holds a condition's type.")
    keep_types: KeepTypes = Field(
        default=ALL,
        description="`All`, or a list of the types of which the newest must stay; others may then go, oldest first.",
    )
    time_fields: Some[FieldName] = Field(default=DEFAULT_TIME_FIELDS, description=_TIME_FIELDS)

    def compile(self) -> CapConditions:
        """The engine's step."""
        keep_types = None if isinstance(self.keep_types, str) else self.keep_types
        return CapConditions(self.path, self.max, self.type_field, keep_types, self.time_fields)


class CapListModel(StepModel):
    """Keeps the newest `max` items of a list.

    Pinned items (`keepFirst`, `keepLast`, `keepWhere`) stay first and count toward `max`; alone they may exceed it
    (reason `CapUnreachable`). `order` only selects: what stays keeps its place. In a list of conditions the newest of
    every type is pinned too.
    """

    step: ClassVar[type[Step]] = CapList
    example: ClassVar[str] = """\
capList:
  path: status.history
  max: 10
  order: {by: completedAt, as: Time}
  keepFirst: 1
  keepWhere:
    - all: [{field: state, operator: In, values: [Deployed]}]
      newest: 2"""

    path: Path = Field(description=_LIST_PATH)
    max: AtLeastZero = Field(description="How many items may stay, pins included.")
    order: OrderField = Field(
        description="Which items are newer: `NewestFirst` or `NewestLast` by position, or `{by: FIELD, as: Time}` "
        "(`Number`, `Natural`) by a field of the item."
    )
    keep_first: AtLeastZero = Field(default=0, description="Pins so many items at the start of the list.")
    keep_last: AtLeastZero = Field(default=0, description="Pins so many items at the end of the list.")
    keep_where: Many[KeepWhereModel] = Field(default=(), description="Pins items that meet any of these entries.")

    def compile(self) -> CapList:
        """The engine's step."""
        keep_where = tuple(pin.compile() for pin in self.keep_where)
        return CapList(self.path, self.max, compiled_order(self.order), self.keep_first, self.keep_last, keep_where)


class DedupeModel(StepModel):
    """Of items that are equal one stays.

    Equal are items with equal `keys`, or, with `ignoring`, items that are equal but for the fields named there: give
    one of the two. Items that lack one of the `keys` are left alone and end a `Consecutive` run. In a list of
    conditions the newest of a type of which none would be left stays as well.
    """

    step: ClassVar[type[Step]] = Dedupe
    example: ClassVar[str] = "dedupe: {path: status.conditions, keys: [type], keep: Newest, position: First}"

    path: Path = Field(description=_LIST_PATH)
    keys: Some[OnePath] | None = Field(
        default=None, description="Fields of the item that make it equal to another; `.` is the item itself."
    )
    ignoring: Many[FieldName] | None = Field(
        default=None, description="Fields of the item that may differ; `[]` for exact duplicates."
    )
    scope: Word[Scope] = Field(
        default=Scope.ALL, description="`All` items of the list, or only `Consecutive` ones (a run of equals)."
    )
    keep: Word[Keep] = Field(description="Which of them stays: the `First`, the `Last` or, by time, the `Newest`.")
    position: Word[Position] = Field(
        default=Position.OF_KEPT, description="Where it stands: at its own place, or at the place of the `First`."
    )
    time_fields: Some[FieldName] = Field(default=DEFAULT_TIME_FIELDS, description=_TIME_FIELDS)

    @model_validator(mode="after")
    def _one_way_to_compare(self) -> DedupeModel:
        if self.keys is None and self.ignoring is None:
            raise ValueError("says not what makes items equal; give keys: [type] or ignoring: [lastTransitionTime]")
        if self.keys is not None and self.ignoring is not None:
            raise ValueError("has both keys and ignoring; give one of them")
        return self

    def compile(self) -> Dedupe:
        """The engine's step."""
        return Dedupe(self.path, self.keep, self.keys or (), self.ignoring, self.scope, self.position, self.time_fields)


class TruncateModel(StepModel):
    """Cuts strings that are longer than `maxBytes`, never inside a character.

    The marker stands where text was cut. A condition's `type`, `status`, `reason` and `observedGeneration` are read by
    machines and never cut.
    """

    step: ClassVar[type[Step]] = Truncate
    example: ClassVar[str] = 'truncate: {paths: ["status.conditions[*].message"], maxBytes: 32000, keep: Head}'

    paths: Some[Path] = Field(description="The strings.")
    max_bytes: Bytes = Field(description="The longest that a string may be, in bytes of UTF-8, marker included.")
    keep: Word[KeepPart] = Field(default=KeepPart.HEAD, description="The part that stays.")
    marker: str = Field(
        default=DEFAULT_MARKER, description="What stands where text was cut; `{bytes}` is how many bytes are gone."
    )

    @field_validator("marker")
    @classmethod
    def _fits(cls, marker: str, info: ValidationInfo) -> str:
        if escaped := ESCAPED_BY_GO.search(marker):
            raise ValueError(f"the character {quote(escaped[0])} takes more bytes in etcd than here; leave it out")
        longest = len(marker.replace(BYTES, "9" * MOST_DIGITS).encode())
        room = info.data.get("max_bytes", longest)
        if longest > room:
            raise ValueError(
                f"takes up to {longest} bytes, maxBytes is {room}; raise maxBytes or write a shorter marker"
            )
        return marker

    def compile(self) -> Truncate:
        """The engine's step."""
        return Truncate(self.paths, self.max_bytes, self.keep, self.marker)


def _by_kind(*models: type[StepModel]) -> dict[str, type[StepModel]]:
    return {model.step.kind: model for model in models}


STEP_MODELS: Final = _by_kind(CapConditionsModel, CapListModel, DedupeModel, TruncateModel)
"""Every step's model by the engine's ``Step.kind``."""
