"""What a structural schema says of one value: its type, and what is below it.

In a structural schema (``k8s.io/apiextensions-apiserver/pkg/apiserver/schema``) everything has a type, unless it is an
``x-kubernetes-int-or-string`` or keeps unknown fields. Nothing below ``allOf``, ``anyOf`` and ``oneOf`` adds a field to
it, so they are passed over here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from admission.engine.schema import OpenApi


class Type(StrEnum):
    """What a value is, in the words of messages."""

    LIST = "a list"
    MAP = "a map"
    OBJECT = "an object with named fields"
    TEXT = "a text"
    NUMBER = "a number"
    BOOLEAN = "a boolean"
    ANY = "anything"


_SCALARS: Final = {"string": Type.TEXT, "integer": Type.NUMBER, "number": Type.NUMBER, "boolean": Type.BOOLEAN}
_FORMS: Final = ("pattern", "enum", "format")
_OF_EVERY_OBJECT: Final = ("apiVersion", "kind", "metadata")


@dataclass(frozen=True, slots=True)
class Shape:
    """One value of a kind."""

    openapi: OpenApi

    @property
    def type(self) -> Type:
        """What the value is. An object is a map when its keys are not named by the schema."""
        kind = self.openapi.get("type")
        if kind == "array":
            return Type.LIST
        if kind != "object":
            return _SCALARS.get(str(kind), Type.ANY)
        if self.members:
            return Type.OBJECT
        if self.entries is not None:
            return Type.MAP
        return Type.ANY if self.keeps_unknown else Type.OBJECT

    @property
    def keeps_unknown(self) -> bool:
        """True when fields that the schema does not name are stored."""
        return bool(self.openapi.get("x-kubernetes-preserve-unknown-fields"))

    @property
    def members(self) -> Mapping[str, Shape]:
        """The fields that the schema names; those that every object has where whole objects are embedded."""
        members = {name: Shape(part) for name, part in _parts(self.openapi.get("properties")).items()}
        if self.openapi.get("x-kubernetes-embedded-resource"):
            return {**dict.fromkeys(_OF_EVERY_OBJECT, ANYTHING), **members}
        return members

    @property
    def entries(self) -> Shape | None:
        """The values of a map."""
        additional = self.openapi.get("additionalProperties")
        if isinstance(additional, Mapping):
            return Shape(additional)
        return ANYTHING if additional is True else None

    @property
    def items(self) -> Shape:
        """The items of a list."""
        items = self.openapi.get("items")
        return Shape(items) if isinstance(items, Mapping) else ANYTHING

    @property
    def form(self) -> str | None:
        """What gives a text a form that a cut one would not have: ``pattern``, ``enum`` or ``format``."""
        return next((word for word in _FORMS if self.openapi.get(word)), None)


ANYTHING: Final = Shape({"x-kubernetes-preserve-unknown-fields": True})
"""A value of which nothing is known."""


def _parts(value: Any) -> Mapping[str, OpenApi]:
    members = value.items() if isinstance(value, Mapping) else ()
    return {name: part for name, part in members if isinstance(part, Mapping)}
