"""What a schema demands, read from its OpenAPI form: what held before must hold after."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tests.engine.build import Json
from tests.engine.oracle.gotext import as_go_writes
from tests.engine.oracle.paths import Trail

_EXACT = ("pattern", "enum", "format")


def parts_of(schema: Json) -> Iterator[Json]:
    """A schema and what it is composed of."""
    if isinstance(schema, dict):
        yield schema
        for word in ("allOf", "anyOf", "oneOf"):
            for part in schema.get(word, []):
                yield from parts_of(part)


def below(parts: Sequence[Json], key: str | int) -> list[Json]:
    """The schemas of a member or an item."""
    if isinstance(key, int):
        found = [part.get("items") for part in parts]
    else:
        found = [part.get("properties", {}).get(key, part.get("additionalProperties")) for part in parts]
    return [inner for one in found for inner in parts_of(one)]


def demands_at(openapi: Json, trail: Trail) -> list[Json]:
    """The schemas of the value at a trail."""
    parts = list(parts_of(openapi))
    for key in trail:
        parts = below(parts, key)
    return parts


def limit_at(openapi: Json, trail: Trail, word: str) -> int | None:
    """The lowest ``maxItems`` or ``maxLength`` that holds for certain at a trail: what ``anyOf`` says does not."""
    certain = [part for part in [openapi] if isinstance(part, dict)]
    certain = [inner for part in certain for inner in _certain(part)]
    for key in trail:
        found = [
            part.get("items") if isinstance(key, int) else part.get("properties", {}).get(key, part.get(_ENTRIES))
            for part in certain
        ]
        certain = [inner for part in found if isinstance(part, dict) for inner in _certain(part)]
    return min((part[word] for part in certain if word in part), default=None)


_ENTRIES = "additionalProperties"


def _certain(schema: Json) -> Iterator[Json]:
    yield schema
    for part in schema.get("allOf", []):
        yield from _certain(part)


@dataclass(slots=True)
class Found:
    """What is true of all values at one place of a schema. ``texts`` and ``names`` are what must not become others."""

    kept: dict[tuple[str, str], bool] = field(default_factory=lambda: defaultdict(lambda: True))
    texts: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    names: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def look(self, value: Json, parts: Sequence[Json], place: str) -> None:
        """Take note of a value and all that is in it."""
        for part in parts:
            for demand, kept in self._of(value, part, place):
                self.kept[place, demand] = self.kept[place, demand] and kept
        if isinstance(value, dict):
            for name, inner in value.items():
                self.look(inner, below(parts, name), f"{place}.{name}")
        elif isinstance(value, list):
            for inner in value:
                self.look(inner, below(parts, 0), f"{place}[*]")

    def _of(self, value: Json, part: Json, place: str) -> Iterator[tuple[str, bool]]:
        match value:
            case str():
                yield f"minLength {part.get('minLength', 0)}", len(value) >= part.get("minLength", 0)
                if any(part.get(word) for word in _EXACT):
                    self.texts[place].add(value)
            case dict():
                for name in part.get("required", []):
                    yield f"required {name}", name in value
                least = part.get("minProperties", 0)
                yield f"minProperties {least}", len(value) >= least
            case list():
                yield f"minItems {part.get('minItems', 0)}", len(value) >= part.get("minItems", 0)
                yield from self._of_what_names_items(value, part, place)

    def _of_what_names_items(self, items: list[Json], part: Json, place: str) -> Iterator[tuple[str, bool]]:
        names = []
        if part.get("x-kubernetes-list-type") == "set":
            names = [as_go_writes(item) for item in items if not isinstance(item, list | dict)]
        for key in part.get("x-kubernetes-list-map-keys", []):
            keys = [item[key] for item in items if isinstance(item, dict) and key in item]
            names = [as_go_writes(one) for one in keys if not isinstance(one, list | dict)]  # others are refused
        self.names[place].update(names)
        yield "uniqueness", len(names) == len(set(names))


def broken_demands(openapi: Json, before: Json, after: Json, stored: Json) -> Iterator[str]:
    """What held of everything that was sent and does not hold of the result; and what must not become another text."""
    sent, left, known = Found(), Found(), Found()
    for found, value in ((sent, before), (left, after), (known, stored)):
        found.look(value, list(parts_of(openapi)), "")
    for (place, demand), kept in left.kept.items():
        if not kept and sent.kept.get((place, demand), True):
            yield f"I8: {place} had {demand}, and has it no more"
    for place, texts in left.texts.items():
        if texts - sent.texts[place] - known.texts[place]:
            yield f"I8: a text at {place} has a form, and was changed"
    for place, names in left.names.items():
        if names - sent.names[place]:
            yield f"I8: what names an item of {place} was changed"
