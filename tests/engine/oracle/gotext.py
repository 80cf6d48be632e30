"""Bytes as Go writes them, character by character."""

from __future__ import annotations

import json

from tests.engine.build import Json, Number

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f", '"': '\\"', "\\": "\\\\"}
_LONG = [*map(chr, range(0x20)), "<", ">", "&", "\u2028", "\u2029"]
_ESCAPES = str.maketrans({character: f"\\u{ord(character):04x}" for character in _LONG} | _SHORT)


def as_go_writes(value: Json) -> str:
    """JSON text of an exact value, character by character."""
    match value:
        case str():
            return f'"{value.translate(_ESCAPES)}"'
        case list():
            return "[" + ",".join(map(as_go_writes, value)) + "]"
        case dict():
            return "{" + ",".join(f"{as_go_writes(name)}:{as_go_writes(inner)}" for name, inner in value.items()) + "}"
        case Number(text):
            return text
        case _:
            return json.dumps(value)


def size(value: Json) -> int:
    """Bytes in etcd."""
    return len(as_go_writes(value).encode())
