"""Steps for lists in a policy file."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field, model_validator

from admission.engine.steps import CapList, Dedupe, Expire, Step
from admission.engine.steps.duplicates import Keep, Position, Scope
from admission.engine.steps.order import DEFAULT_TIME_FIELDS, OrderKind
from admission.policyfile.fields import AtLeastZero, Duration, FieldName, Many, OnePath, Path, Some, Word
from admission.policyfile.models.base import LIST_PATH, TIME_FIELDS, StepModel
from admission.policyfile.order import OrderField, compiled_order
from admission.policyfile.requirements import KeepWhereModel


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

    path: Path = Field(description=LIST_PATH)
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


class ExpireModel(StepModel):
    """Removes items of a list that are older than `olderThan`.

    Only a known time makes an item old: what has none stays, and so does a time without a zone (its age is not known)
    or more than five minutes from now. The newest `keepNewest` of the items that `keepWhere` does not pin stay whatever
    their age, so a list is not emptied unless you say so. In a list of conditions the newest of every type stays.
    """

    step: ClassVar[type[Step]] = Expire
    example: ClassVar[str] = """\
expire:
  path: status.attempts
  olderThan: 7d
  timeFields: [finishedAt]
  keepNewest: 3
  keepWhere:
    - all: [{field: phase, operator: In, values: [Running]}]"""

    path: Path = Field(description=LIST_PATH)
    older_than: Duration = Field(description="The age above which an item goes, back from now (`90s`, `24h`, `7d`).")
    time_fields: Some[FieldName] = Field(default=DEFAULT_TIME_FIELDS, description=TIME_FIELDS)
    keep_newest: AtLeastZero = Field(
        default=1, description="How many of the items that are not pinned stay whatever their age, the newest."
    )
    keep_where: Many[KeepWhereModel] = Field(default=(), description="Pins items that meet any of these entries.")
    order: OrderField = Field(
        default=OrderKind.NEWEST_LAST.value,
        description="Which of several items with one time is newer; and which of all, where the time of one that is "
        "not pinned is unknown.",
    )

    def compile(self) -> Expire:
        """The engine's step."""
        keep_where = tuple(pin.compile() for pin in self.keep_where)
        order = compiled_order(self.order)
        return Expire(self.path, self.older_than, self.time_fields, self.keep_newest, keep_where, order)


class DedupeModel(StepModel):
    """Of items that are equal one stays.

    Equal are items with equal `keys`, or, with `ignoring`, items that are equal but for the fields named there: give
    one of the two. Items that lack one of the `keys` are left alone and end a `Consecutive` run. In a list of
    conditions the newest of a type of which none would be left stays as well.
    """

    step: ClassVar[type[Step]] = Dedupe
    example: ClassVar[str] = "dedupe: {path: status.conditions, keys: [type], keep: Newest, position: First}"

    path: Path = Field(description=LIST_PATH)
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
    time_fields: Some[FieldName] = Field(default=DEFAULT_TIME_FIELDS, description=TIME_FIELDS)

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
