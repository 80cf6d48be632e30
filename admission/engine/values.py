"""JSON values that stay the bytes they came in until somebody looks inside.

A :data:`Value` is a ``msgspec.Raw`` (untouched bytes of any JSON value) or a container that was opened: a ``dict`` or
``list`` whose members are values again. Opening happens in place and one level at a time, so that the cost follows
what is read. Scalars are never opened: a number, a ``null`` or a time is written back byte for byte.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec
from msgspec import Raw

from admission.errors import DocumentError

Object: TypeAlias = "dict[str, Value]"
List: TypeAlias = "list[Value]"
Container: TypeAlias = "Object | List"
Value: TypeAlias = "Raw | Object | List"
Key: TypeAlias = str | int
Trail: TypeAlias = tuple[Key, ...]
"""The way from the object down to a value: member names and list positions, as they are at that moment."""

NULL: Final = Raw(b"null")

MOST_MEMBERS: Final = 100_000
"""Members of a list or map that is worked on. A step takes up to 5 µs for an item, so this is half a second, and the
API server waits two; the 3 MiB that it takes in a request hold a million of ``{}``. Items that say anything reach
etcd's 1.5 MiB with far fewer."""

ANY_NUMBER: Final = 2**63 - 1
"""For who only counts or measures members."""

_OBJECT: Final = msgspec.json.Decoder(dict[str, Raw])
_LIST: Final = msgspec.json.Decoder(list[Raw])
_TEXT: Final = msgspec.json.Decoder(str)
_ENCODER: Final = msgspec.json.Encoder()
_OPEN_BRACE, _OPEN_BRACKET, _QUOTE = b'{["'
_BLANKS: Final = b" \t\n\r"

_ESCAPED_BY_GO: Final = (
    (b"<", b"\\u003c"),
    (b">", b"\\u003e"),
    (b"&", b"\\u0026"),
    ("\u2028".encode(), b"\\u2028"),
    ("\u2029".encode(), b"\\u2029"),
)


def first_byte(raw: Raw) -> int:
    """The first byte that is no blank: it tells the JSON type."""
    view = memoryview(raw)
    byte = view[0]
    if byte in _BLANKS:
        stripped = bytes(view).lstrip(_BLANKS)
        return stripped[0]
    return byte


def opened(value: Value, most: int = MOST_MEMBERS) -> Container | None:
    """The container behind a value, or None for a scalar.

    Raises:
        DocumentError: the bytes are no JSON, or hold more than ``most`` members.
    """
    if type(value) is not Raw:
        return value
    byte = first_byte(value)
    if byte not in (_OPEN_BRACE, _OPEN_BRACKET):
        return None
    try:
        inside: Container = (_OBJECT if byte == _OPEN_BRACE else _LIST).decode(value)  # type: ignore[assignment]
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DocumentError(f"a value cannot be decoded: {error}") from error
    if len(inside) > most:
        raise DocumentError(f"a list or map has {len(inside)} members, more than {most}")
    return inside


def open_child(container: Container, key: Key) -> Container | None:
    """Open ``container[key]`` in place; None when it is a scalar."""
    child = container[key]  # type: ignore[index]
    if type(child) is not Raw:
        return child
    inside = opened(child)
    if inside is not None:
        container[key] = inside  # type: ignore[index]
    return inside


def open_object(container: Container, key: Key) -> Object | None:
    """Open ``container[key]`` in place when it is an object, else None."""
    inside = open_child(container, key)
    return inside if isinstance(inside, dict) else None


def is_text(value: Value) -> bool:
    """True for a JSON string."""
    return type(value) is Raw and first_byte(value) == _QUOTE


def is_list(value: Value) -> bool:
    """True for a JSON array."""
    return first_byte(value) == _OPEN_BRACKET if type(value) is Raw else type(value) is list


def text_of(value: Value | None) -> str | None:
    """The text of a JSON string; None for everything else (also for a value that is absent)."""
    if type(value) is not Raw or first_byte(value) != _QUOTE:
        return None
    try:
        return _TEXT.decode(value)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DocumentError(f"a string cannot be decoded: {error}") from error


def scalar_text(value: Value) -> str | None:
    """A scalar as the text that requirements compare: strings decoded, numbers and booleans as written."""
    if type(value) is not Raw:
        return None
    byte = first_byte(value)
    if byte == _QUOTE:
        return text_of(value)
    if byte in (_OPEN_BRACE, _OPEN_BRACKET):
        return None
    return bytes(value).strip(_BLANKS).decode("ascii", "replace")


def is_null(value: Value | None) -> bool:
    """True for ``null`` and for an absent value: where a policy reads, they are the same."""
    return value is None or (type(value) is Raw and value == NULL)


def encode(value: Value) -> bytes:
    """The JSON bytes of a value; untouched parts as they came in."""
    return bytes(value) if type(value) is Raw else _ENCODER.encode(value)


def quoted(text: str) -> Raw:
    """A string as Go's ``encoding/json`` writes it (HTML escaping on), which is how it will be stored."""
    encoded = _ENCODER.encode(text)  # control characters, quotes and backslashes as Go writes them
    for character, escape in _ESCAPED_BY_GO:
        encoded = encoded.replace(character, escape)
    return Raw(encoded)


def same(left: Value, right: Value) -> bool:
    """True when two values are equal as JSON, whatever the order of members; numbers are equal when written equally.

    ``1`` and ``1.0`` differ, and so do ``true`` and ``1``. Stops at the first difference.
    """
    if type(left) is Raw and type(right) is Raw and left == right:
        return True
    left_inside, right_inside = opened(left), opened(right)
    if isinstance(left_inside, dict) and isinstance(right_inside, dict):
        return left_inside.keys() == right_inside.keys() and all(
            same(value, right_inside[key]) for key, value in left_inside.items()
        )
    if isinstance(left_inside, list) and isinstance(right_inside, list):
        return len(left_inside) == len(right_inside) and all(map(same, left_inside, right_inside))
    if left_inside is not None or right_inside is not None:
        return False
    text = text_of(left)
    if text is not None:
        return text == text_of(right)
    return text_of(right) is None and scalar_text(left) == scalar_text(right)
