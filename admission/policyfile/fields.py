"""The types of the fields of a policy file: what is accepted, what it becomes, and its form in JSON Schema."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, TypeAlias, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    Strict,
    WithJsonSchema,
)
from pydantic.alias_generators import to_camel

from admission.engine.attributes import STATUS
from admission.engine.fieldpath import FieldPath, Index, Items, Member
from admission.engine.instant import parse_duration
from admission.errors import FieldPathError
from admission.policyfile.resources import checked_group, checked_resource, checked_version
from admission.policyfile.wording import found, quote
from admission.quantity import parse_bytes

T = TypeVar("T")

_DNS_1123: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", re.ASCII)
_LONGEST_NAME: Final = 253
MOST_ITEMS: Final = 2**31 - 1
TOP_LEVEL: Final = frozenset({"apiVersion", "kind", "metadata", "spec"})
"""Members of every object that are no policy's to trim."""


def _title(model: type[Any]) -> str:
    """``ResourceRuleModel`` → ``Resource rule``."""
    return re.sub(r"(?<=[a-z])[A-Z]", lambda match: f" {match[0].lower()}", model.__name__.removesuffix("Model"))


class Model(BaseModel):
    """One map of a policy file: every key is known and has exactly its type."""

    model_config = ConfigDict(
        strict=True,
        extra="forbid",
        frozen=True,
        alias_generator=to_camel,
        arbitrary_types_allowed=True,
        model_title_generator=_title,
        validate_default=True,
    )


# A YAML list is no tuple and a word is no member of an enum; only these two are read loosely.
Many: TypeAlias = Annotated[tuple[T, ...], Strict(False)]
"""A list; it may be empty."""

Some: TypeAlias = Annotated[tuple[T, ...], Strict(False), Field(min_length=1)]
"""A list that is not empty."""

Word: TypeAlias = Annotated[T, Strict(False)]
"""One of the words of an enum."""


def _read_path(value: Any) -> FieldPath:
    if isinstance(value, FieldPath):  # a default
        return value
    if not isinstance(value, str):
        raise ValueError(f"expected a path, found {found(value)}; write for example status.conditions[*].message")
    try:
        return FieldPath.parse(value)
    except FieldPathError as error:
        raise ValueError(str(error)) from error


def _leads_to_one(path: FieldPath) -> FieldPath:
    if not all(isinstance(segment, Member | Index) for segment in path.segments):
        raise ValueError(
            f"{quote(str(path))} can lead to several values; name one field of the item, without wildcards"
        )
    return path


def leads_to_a_list(path: FieldPath) -> FieldPath:
    """The path, unless it ends in a list's items.

    Raises:
        ValueError: it does; the message names the list.
    """
    if path.segments and isinstance(path.segments[-1], Items | Index):
        raise ValueError(f"{quote(str(path))} leads to the items; name the list itself: {path.parent}")
    return path


def _leads_to_a_member(path: FieldPath) -> FieldPath:
    if path.segments and isinstance(path.segments[-1], Items | Index):
        raise ValueError(f"{quote(str(path))} ends in an item of a list; name a field of the item, or cap the list")
    return path


def _text_of(path: FieldPath) -> str:
    return str(path)


Path: TypeAlias = Annotated[
    FieldPath,
    PlainValidator(_read_path),
    PlainSerializer(_text_of, return_type=str),
    WithJsonSchema({"type": "string", "format": "path", "examples": ["status.conditions[*].message"]}),
]
"""A path below the object, or below an item."""

OnePath: TypeAlias = Annotated[Path, AfterValidator(_leads_to_one)]
"""A path that leads to at most one value."""

ListPath: TypeAlias = Annotated[Path, AfterValidator(leads_to_a_list)]
"""A path that does not end in a list's items."""


MemberPath: TypeAlias = Annotated[Path, AfterValidator(_leads_to_a_member)]
"""A path to members of objects."""


def _read_bytes(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError(f"expected a size, found {found(value)}; write a whole number of bytes or for example 32Ki")
    return parse_bytes(value)


Bytes: TypeAlias = Annotated[
    int,
    BeforeValidator(_read_bytes),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string"}], "format": "quantity"}),
]
"""A size in bytes, as a Kubernetes quantity."""


def _read_duration(value: Any) -> int:
    if not isinstance(value, str):
        raise ValueError(f"expected a duration, found {found(value)}; write for example 60s, 5m or 7d")
    duration = parse_duration(value)
    if not duration:
        raise ValueError(f"{quote(value)} is no duration above 0; write for example 60s, 5m or 7d")
    return duration


Duration: TypeAlias = Annotated[
    int,
    BeforeValidator(_read_duration),
    WithJsonSchema({"type": "string", "format": "duration", "examples": ["90s", "5m", "24h", "7d"]}),
]
"""A duration as Go writes it, or in days (``7d``); nanoseconds."""


def _checked_name(name: str) -> str:
    if len(name) > _LONGEST_NAME or not _DNS_1123.fullmatch(name):
        raise ValueError(
            f"{quote(name)} is no DNS-1123 name; write lower-case letters, digits, '-' and '.', at most {_LONGEST_NAME}"
        )
    return name


def _checked_field(text: str) -> str:
    path = _read_path(text)
    if len(path.segments) != 1 or not isinstance(path.segments[0], Member):
        raise ValueError(f"{quote(text)} is a path; name a field of the item itself, for example lastTransitionTime")
    return path.segments[0].name


def _checked_root(text: str) -> str:
    if text in TOP_LEVEL:
        raise ValueError(f"{text} is never trimmed; name the member that the controller fills, for example {STATUS}")
    path = _read_path(text)
    if len(path.segments) != 1 or not isinstance(path.segments[0], Member):
        raise ValueError(f"{quote(text)} is no member of the object; name one, for example {STATUS}")
    return path.segments[0].name


Name: TypeAlias = Annotated[str, AfterValidator(_checked_name), Field(json_schema_extra={"format": "name"})]
Group: TypeAlias = Annotated[str, AfterValidator(checked_group)]
Root: TypeAlias = Annotated[str, AfterValidator(_checked_root)]
Version: TypeAlias = Annotated[str, AfterValidator(checked_version)]
Resource: TypeAlias = Annotated[str, AfterValidator(checked_resource)]
FieldName: TypeAlias = Annotated[str, AfterValidator(_checked_field)]
AtLeastZero: TypeAlias = Annotated[int, Field(ge=0, le=MOST_ITEMS)]
AtLeastOne: TypeAlias = Annotated[int, Field(ge=1, le=MOST_ITEMS)]
