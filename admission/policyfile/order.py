"""What makes an item newer than another, in a policy file."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import ConfigDict, Discriminator, Field, PlainValidator, Tag, WithJsonSchema, model_validator

from admission.engine.steps.order import BY_KEY, EntryOrder, Order, OrderKind
from admission.policyfile.fields import Model, OnePath
from admission.policyfile.wording import found

POSITIONS: Final = (OrderKind.NEWEST_FIRST.value, OrderKind.NEWEST_LAST.value)
COMPARISONS: Final = (OrderKind.TIME.value, OrderKind.NUMBER.value, OrderKind.NATURAL.value)
_POSITION_TAG, _FIELD_TAG = "<position>", "<field>"  # in angle brackets: no key of a file, cut out of messages


Comparison: TypeAlias = Literal["Time", "Number", "Natural"]


class OrderByModel(Model):
    """Newness by a field of the item: the highest value is the newest, ties by position."""

    by: OnePath = Field(description="The field of the item. Items that lack it count as oldest.")
    as_: Comparison = Field(
        alias="as",
        description="How its values compare: Time, Number or Natural. `Time` compares instants (one unknown time "
        "makes the position decide for the whole list), `Number` numbers and numeric strings, `Natural` texts with "
        "the numbers in them as numbers (`exec-9` before `exec-10`).",
    )

    def compile(self) -> Order:
        """The engine's order."""
        return Order(OrderKind(self.as_), self.by)


def _read_position(value: Any) -> str:
    if value not in POSITIONS:
        comparisons = "|".join(COMPARISONS)
        raise ValueError(
            f"{found(value)} is no order; write {', '.join(POSITIONS)} or {{by: FIELD, as: {comparisons}}}"
        )
    return str(value)


PositionOrder: TypeAlias = Annotated[
    str, PlainValidator(_read_position), WithJsonSchema({"type": "string", "enum": list(POSITIONS)})
]
OrderField: TypeAlias = Annotated[
    Annotated[PositionOrder, Tag(_POSITION_TAG)] | Annotated[OrderByModel, Tag(_FIELD_TAG)],
    Discriminator(lambda value: _FIELD_TAG if isinstance(value, dict | OrderByModel) else _POSITION_TAG),
]


class EntryOrderModel(Model):
    """Newness of the entries of a map: the highest is the newest, ties by key.

    By their keys (`keyAs`), or by a field of the entry (`by` and `as`).
    """

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": ["keyAs"]}, {"required": ["by", "as"]}]})

    key_as: Literal["Natural"] | None = Field(
        default=None,
        description="How keys compare: `Natural`, as texts with the numbers in them as numbers (`exec-9` before "
        "`exec-10`).",
    )
    by: OnePath | None = Field(
        default=None,
        description="The field of the entry; `.` is its value itself. Entries that lack it are the oldest.",
    )
    as_: Comparison | None = Field(
        default=None,
        alias="as",
        description="How its values compare: `Time` (one unknown time makes the keys decide for all entries that may "
        "go), `Number` or `Natural`.",
    )

    @model_validator(mode="after")
    def _is_one(self) -> EntryOrderModel:
        by_field = self.by is not None and self.as_ is not None
        if by_field == (self.key_as is not None) or (self.key_as and (self.by or self.as_)):
            raise ValueError(f"write {{keyAs: Natural}}, or {{by: FIELD, as: {'|'.join(COMPARISONS)}}}")
        return self

    def compile(self) -> EntryOrder:
        """The engine's order."""
        if self.by is None or self.as_ is None:
            return BY_KEY
        return EntryOrder(Order(OrderKind(self.as_), self.by))


def compiled_order(order: str | OrderByModel) -> Order:
    """The engine's order."""
    return Order(OrderKind(order)) if isinstance(order, str) else order.compile()
