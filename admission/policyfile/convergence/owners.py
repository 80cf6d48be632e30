"""Who owns a sample: ``managedFields`` as the API server keeps them of one controller that writes by update."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final, TypeAlias

from admission.engine.schema import Schema

Json: TypeAlias = Any

MANAGER: Final = "controller"
"""Who has written every sample that has managers."""


def managers(members: dict[str, Json], roots: Iterable[str], schema: Schema | None, time: str) -> list[Json]:
    """The one entry for an object whose roots were written at a time (RFC 3339).

    Lists of which no schema tells what tells their items apart are owned whole.
    """
    named = {root: members[root] for root in roots if root in members}
    inside = {f"f:{name}": _fields(value, _below(schema, name)) for name, value in named.items()}
    return [
        {
            "manager": MANAGER,
            "operation": "Update",
            "apiVersion": members.get("apiVersion", ""),
            "time": time,
            "fieldsType": "FieldsV1",
            "fieldsV1": inside,
        }
    ]


def _below(schema: Schema | None, name: str) -> Schema | None:
    return None if schema is None else schema.properties.get(name, schema.entries)


def _fields(value: Json, schema: Schema | None) -> Json:
    match value:
        case dict():
            return {f"f:{name}": _fields(inside, _below(schema, name)) for name, inside in value.items()}
        case list() if schema is not None and schema.keys and _are_keyed(value, schema):
            return {_key(item, schema): {".": {}, **_fields(item, schema.items)} for item in value}
        case list() if schema is not None and schema.is_set:
            return {f"v:{_written(item)}": {} for item in value}
        case _:
            return {}


def _are_keyed(items: list[Json], schema: Schema) -> bool:
    return all(isinstance(item, dict) and schema.keys <= item.keys() for item in items)


def _key(item: dict[str, Json], schema: Schema) -> str:
    return f"k:{_written({key: item[key] for key in schema.keys})}"


def _written(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
