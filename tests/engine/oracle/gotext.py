"""Bytes as Go writes them, character by character."""

from __future__ import annotations

import json

from tests.engine.build import Json, Number

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f", '"': '\\"', "\\": "\\\\"}


def as_go_writes(value: Json) -> str:
    """JSON text of an exact value, character by character."""
    match value:
        case str():
            return '"' + "".join(map(_character, value)) + '"'
        case list():
            return "[" + ",".join(map(as_go_writes, value)) + "]"
        case dict():
            return "{" + ",".join(f"{as_go_writes(name)}:{as_go_writes(inner)}" for name, inner in value.items()) + "}"
        case Number(text):
            return text
        case _:
            return json.dumps(value)


def _character(character: str) -> str:
    if character in _SHORT:
        return _SHORT[character]
    return f"\\u{ord(character):04x}" if character < " " or character in "<>&\u2028\u2029" else character


def size(value: Json) -> int:
    """Bytes in etcd."""
    return len(as_go_writes(value).encode())
