"""What a CRD's schema demands of a value, as far as a trim could break it, and how large it lets it be.

Read from ``openAPIV3Schema`` (structural schemas: ``k8s.io/apiextensions-apiserver``). What stands in ``allOf``,
``anyOf`` and ``oneOf`` is taken as if all of it were demanded: a trim then stops too early, never too late. How large
something may be is only taken from where it is certain to hold: not from ``anyOf`` and ``oneOf``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final, TypeAlias

from admission.engine.attributes import Attributes
from admission.engine.textform import TextForm
from admission.engine.values import Trail

OpenApi: TypeAlias = Mapping[str, Any]

ANY_TEXT: Final = TextForm()
_ALL_OF: Final = "allOf"
_JUNCTORS: Final = (_ALL_OF, "anyOf", "oneOf")
_AROUND_A_TEXT: Final = len('""')
_AROUND_ITEMS: Final = len("[]")
_A_SHORT_ITEM: Final = len("1,")


@dataclass(frozen=True, slots=True)
class Schema:
    """The demands on one value.

    ``kind`` is the JSON type (``object``, ``array``, ``string``, ``integer``, ``number``, ``boolean``), None where
    several are allowed; ``is_open`` says that members without a name in the schema stay. ``keys`` are the members that
    tell the items of a list apart; ``is_set`` says that all of an item does; ``text`` what form a text has.
    ``entries`` is for the members of a map that have no name in the schema. More than ``max_items`` or, in code points,
    ``max_length`` is refused for certain.
    """

    min_items: int = 0
    min_properties: int = 0
    required: frozenset[str] = frozenset()
    keys: frozenset[str] = frozenset()
    is_set: bool = False
    text: TextForm = ANY_TEXT
    properties: Mapping[str, Schema] = field(default_factory=dict)
    entries: Schema | None = None
    items: Schema | None = None
    max_items: int | None = None
    max_length: int | None = None
    kind: str | None = None
    is_open: bool = False
    least_too_large: int | None = field(init=False, compare=False, repr=False)
    """The fewest bytes of JSON in which something can be larger than it may be; None when nothing is limited."""

    def __post_init__(self) -> None:
        """See once where a walk need not look."""
        object.__setattr__(self, "least_too_large", min(self._too_large(), default=None))

    def _too_large(self) -> Iterator[int]:
        if self.max_length is not None and not self.text.is_exact:
            yield self.max_length + 1 + _AROUND_A_TEXT
        if self.max_items is not None:
            yield (self.max_items + 1) * _A_SHORT_ITEM - 1 + _AROUND_ITEMS
        for inside in (*self.properties.values(), self.entries, self.items):
            if inside is not None and inside.least_too_large is not None:
                yield inside.least_too_large

    @classmethod
    def of(cls, openapi: OpenApi, *, certain: bool = True) -> Schema:
        """Read ``openAPIV3Schema``, or any part of it. What has not its form demands nothing.

        Where it is not ``certain`` that all of it is demanded, nothing is known to be too large.
        """
        read = cls(
            min_items=_count(openapi, "minItems"),
            min_properties=_count(openapi, "minProperties"),
            required=_names(openapi.get("required")),
            keys=_names(openapi.get("x-kubernetes-list-map-keys")),
            is_set=openapi.get("x-kubernetes-list-type") == "set",
            text=TextForm.of(openapi),
            properties={name: cls.of(part, certain=certain) for name, part in _schemas(openapi.get("properties"))},
            entries=_part(openapi.get("additionalProperties"), certain),
            items=_part(openapi.get("items"), certain),
            max_items=_most(openapi, "maxItems") if certain else None,
            max_length=_most(openapi, "maxLength") if certain else None,
            kind=_kind(openapi),
            is_open=openapi.get("x-kubernetes-preserve-unknown-fields") is True,
        )
        for word, part in _junctions(openapi):
            read = read.and_also(cls.of(part, certain=certain and word == _ALL_OF))
        return read

    def and_also(self, other: Schema) -> Schema:
        """The demands of both. The kind is the first one's: in a structural schema the others do not tell theirs."""
        names = dict.fromkeys((*self.properties, *other.properties))
        both = {name: _both(self.properties.get(name), other.properties.get(name)) for name in names}
        return Schema(
            min_items=max(self.min_items, other.min_items),
            min_properties=max(self.min_properties, other.min_properties),
            required=self.required | other.required,
            keys=self.keys | other.keys,
            is_set=self.is_set or other.is_set,
            text=self.text.and_also(other.text),
            properties={name: schema for name, schema in both.items() if schema is not None},
            entries=_both(self.entries, other.entries),
            items=_both(self.items, other.items),
            max_items=_lower(self.max_items, other.max_items),
            max_length=_lower(self.max_length, other.max_length),
            kind=self.kind,
            is_open=self.is_open or other.is_open,
        )

    def spares(self, name: str, members: int) -> bool:
        """True when one member may go from an object that has so many."""
        return name not in self.required and members > self.min_properties

    def at(self, trail: Trail) -> Schema | None:
        """The demands on the value at ``trail``; None where the schema says nothing of it."""
        found: Schema | None = self
        for key in trail:
            if found is None:
                return None
            found = found.items if isinstance(key, int) else found.properties.get(key, found.entries)
        return found


ANY: Final = "*"


@dataclass(frozen=True, slots=True)
class Schemas:
    """The schemas that are known, by group, version and resource; ``*`` is any of them."""

    by_resource: Mapping[tuple[str, str, str], Schema] = field(default_factory=dict)
    _has_any: bool = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """See once whether a request can be meant by something else than its own words."""
        object.__setattr__(self, "_has_any", any(ANY in key for key in self.by_resource))

    def of(self, attributes: Attributes) -> Schema | None:
        """The schema of the object in a request, if it is known."""
        by_resource = self.by_resource
        if not by_resource:
            return None
        return self.at(attributes.group, attributes.version, attributes.resource)

    def at(self, group: str, version: str, resource: str) -> Schema | None:
        """The schema of the objects of a resource (its plural), if it is known."""
        by_resource = self.by_resource
        exact = by_resource.get((group, version, resource))
        if exact is not None or not self._has_any:
            return exact
        return next(filter(None, map(by_resource.get, product((group, ANY), (version, ANY), (resource, ANY)))), None)


UNKNOWN: Final = Schemas()
"""No schema is known."""


def _kind(openapi: OpenApi) -> str | None:
    kind = openapi.get("type")
    return kind if isinstance(kind, str) and openapi.get("x-kubernetes-int-or-string") is not True else None


def _both(one: Schema | None, other: Schema | None) -> Schema | None:
    if one is None or other is None:
        return one or other
    return one.and_also(other)


def _lower(one: int | None, other: int | None) -> int | None:
    return min((most for most in (one, other) if most is not None), default=None)


def _junctions(openapi: OpenApi) -> Iterator[tuple[str, OpenApi]]:
    for word in _JUNCTORS:
        parts = openapi.get(word)
        if isinstance(parts, list):
            yield from ((word, part) for part in parts if isinstance(part, Mapping))


def _part(value: Any, certain: bool) -> Schema | None:
    return Schema.of(value, certain=certain) if isinstance(value, Mapping) else None


def _schemas(value: Any) -> Iterable[tuple[str, OpenApi]]:
    parts = value.items() if isinstance(value, Mapping) else ()
    return ((name, part) for name, part in parts if isinstance(part, Mapping))


def _names(value: Any) -> frozenset[str]:
    return frozenset(name for name in value if isinstance(name, str)) if isinstance(value, list) else frozenset()


def _most(openapi: OpenApi, word: str) -> int | None:
    value = openapi.get(word)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _count(openapi: OpenApi, word: str) -> int:
    value = openapi.get(word)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
