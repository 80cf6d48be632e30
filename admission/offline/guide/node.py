"""One field of what users write or read, as its JSON Schema describes it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from admission.policyfile.wording import one_of

Schema: TypeAlias = Mapping[str, Any]

_CHOICES: Final = ("anyOf", "oneOf")
_NULL: Final = "null"
_ANYTHING: Final = "any"
_SCALARS: Final = {
    "integer": "integer",
    "number": "number",
    "string": "string",
    "boolean": "boolean",
    "object": "Object",
}


@dataclass(frozen=True, slots=True)
class Node:
    """A field, or a whole document (whose ``name`` is empty). ``document`` is the schema that holds its definitions."""

    name: str
    schema: Schema
    document: Schema
    required: bool = False

    @property
    def description(self) -> str:
        """What it means: what is said of the field, and what is said of the map that it holds."""
        own = str(self.schema.get("description", ""))
        inside = [str(each.get("description", "")) for each in self._maps() if each is not self.schema]
        said = [own, *(each for each in inside if each != own)]
        return "\n\n".join(
            each for at, each in enumerate(said) if each and not any(_begins(o, each) for o in said[at + 1 :])
        )

    @property
    def summary(self) -> str:
        """What it means, in the words of the field itself."""
        return str(self.schema.get("description", "")) or self.description

    @property
    def type(self) -> str:
        """As kubectl writes it: ``integer``, ``[]Object``, ``map[string]string``."""
        return one_of(dict.fromkeys(self._types(self.schema))) or _ANYTHING

    @property
    def words(self) -> tuple[str, ...]:
        """The words that may stand there, when others may not."""
        return tuple(dict.fromkeys(self._words(self.schema)))

    @property
    def default(self) -> str:
        """What counts when it is not given; empty when nothing does."""
        value = self.schema.get("default")
        return (
            ""
            if value is None or value in ({}, []) or isinstance(value, dict)
            else json.dumps(value, ensure_ascii=False)
        )

    @property
    def members(self) -> tuple[Node, ...]:
        """The fields of the map, or of each map in the list, in the order of the schema."""
        found: dict[str, Node] = {}
        for each in self._maps():
            needed = each.get("required", ())
            for name, schema in each.get("properties", {}).items():
                found.setdefault(name, Node(name, schema, self.document, required=name in needed))
        return tuple(found.values())

    @property
    def identity(self) -> frozenset[int]:
        """Equal for fields that hold the same map, which may hold itself further down."""
        return frozenset(id(each) for each in self._maps())

    def member(self, name: str) -> Node | None:
        """The field of that name."""
        return next((each for each in self.members if each.name == name), None)

    def _maps(self) -> Iterator[Schema]:
        yield from (each for each in self._reached(self.schema) if "properties" in each)

    def _reached(self, schema: Schema) -> Iterator[Schema]:
        """A schema and what it consists of: references, choices, and what stands in a list."""
        schema = self._resolved(schema)
        yield schema
        for word in _CHOICES:
            for choice in schema.get(word, ()):
                yield from self._reached(choice)
        if isinstance(schema.get("items"), Mapping):
            yield from self._reached(schema["items"])

    def _resolved(self, schema: Schema) -> Schema:
        reference = schema.get("$ref")
        found: Schema = schema if reference is None else self.document["$defs"][str(reference).rpartition("/")[2]]
        return found

    def _types(self, schema: Schema) -> Iterator[str]:
        schema = self._resolved(schema)
        choices = [choice for word in _CHOICES for choice in schema.get(word, ()) if "required" not in choice]
        if choices and "properties" not in schema:
            for choice in choices:
                yield from self._types(choice)
        elif schema.get("type") == "array":
            inside = one_of(dict.fromkeys(self._types(schema.get("items", {})))) or _ANYTHING
            yield f"[]{inside}"
        elif "properties" not in schema and isinstance(schema.get("additionalProperties"), Mapping):
            yield f"map[string]{one_of(dict.fromkeys(self._types(schema['additionalProperties']))) or _ANYTHING}"
        elif schema.get("type") != _NULL:
            yield _scalar(schema)

    def _words(self, schema: Schema) -> Iterator[str]:
        for each in self._reached(schema):
            yield from map(str, each.get("enum", ()))
            if "const" in each:
                yield str(each["const"])


def _scalar(schema: Schema) -> str:
    if "const" in schema or "enum" in schema:
        return "string" if not isinstance(schema.get("const"), bool) else "boolean"
    return _SCALARS.get(str(schema.get("type", "")), _ANYTHING)


def _begins(longer: str, text: str) -> bool:
    """Whether a text says all that another one says, and perhaps goes on where that one ends."""
    return longer.startswith(text.removesuffix("."))
