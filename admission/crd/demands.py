"""What the engine needs of a CRD: what its schemas demand of what policies trim.

``spec`` is most of a schema, and no policy trims it. From the bytes of an API server it is not even decoded: the CRDs
of a large cluster would hold up a server for a while.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

import msgspec

from admission.engine.schema import OpenApi, Schema

Key: TypeAlias = tuple[str, str, str]
"""Group, version and resource."""

MOST_LEVELS: Final = 300
"""Lists and objects inside each other, three times those of the deepest published schema: a deeper one demands nothing,
so that it keeps no other from being known."""

_NEVER_TRIMMED: Final = frozenset({"apiVersion", "kind", "metadata", "spec"})
_PROPERTIES: Final = "properties"
_RAW_MEMBERS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])


class _Names(msgspec.Struct):
    plural: str


class _Schema(msgspec.Struct):
    openapi: dict[str, msgspec.Raw] | None = msgspec.field(default=None, name="openAPIV3Schema")


class _Version(msgspec.Struct):
    name: str
    schema: _Schema | None = None


class _Spec(msgspec.Struct):
    group: str
    names: _Names
    versions: list[_Version]


_SPEC: Final = msgspec.json.Decoder(_Spec)


def demands_of(openapi: OpenApi) -> Schema:
    """What an ``openAPIV3Schema`` demands, without what no policy trims."""
    properties = openapi.get(_PROPERTIES)
    members = properties.items() if isinstance(properties, Mapping) else ()
    trimmed = {**openapi, _PROPERTIES: {name: part for name, part in members if name not in _NEVER_TRIMMED}}
    return Schema() if _is_deeper(trimmed, MOST_LEVELS) else Schema.of(trimmed)


def demands_in(spec: bytes | msgspec.Raw) -> Iterator[tuple[Key, Schema]]:
    """The demands of every version of a CRD, read from the JSON of its ``spec``.

    Raises:
        msgspec.MsgspecError: it is none.
    """
    read = _SPEC.decode(spec)
    for version in read.versions:
        openapi = version.schema.openapi if version.schema is not None else None
        yield (read.group, version.name, read.names.plural), demands_of(_decoded(openapi or {}))


def _decoded(openapi: Mapping[str, msgspec.Raw]) -> dict[str, Any]:
    decoded = {name: msgspec.json.decode(part) for name, part in openapi.items() if name != _PROPERTIES}
    if _PROPERTIES in openapi:
        members = _RAW_MEMBERS.decode(openapi[_PROPERTIES])
        decoded[_PROPERTIES] = {
            name: msgspec.json.decode(part) for name, part in members.items() if name not in _NEVER_TRIMMED
        }
    return decoded


def _is_deeper(value: Any, levels: int) -> bool:
    layer = [value]
    for _ in range(levels):
        layer = [inner for each in layer for inner in _inside(each) if isinstance(inner, dict | list)]
        if not layer:
            return False
    return True


def _inside(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value
