"""The texts of some members of objects, read in one pass that opens nothing: for one object, or for all of a list."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

import msgspec
from msgspec import Raw

from admission.engine.values import List, Value, opened, text_of
from admission.errors import DocumentError

_ENCODER: Final = msgspec.json.Encoder()
_UNPROJECTABLE: Final = re.compile('[\x00-\x1f"\\\\]')  # what msgspec takes in no renamed field


@lru_cache(maxsize=256)
def _projection(fields: tuple[str, ...]) -> type[Any] | None:
    """A record that holds just these members; None when msgspec has none for such names."""
    if len(set(fields)) < len(fields) or _UNPROJECTABLE.search("".join(fields)):
        return None
    names = [f"f{number}" for number in range(len(fields))]
    return msgspec.defstruct(
        "Projection",
        [(name, str | None, None) for name in names],
        rename=dict(zip(names, fields, strict=True)),
        frozen=True,
        gc=False,
    )


@lru_cache(maxsize=256)
def _reader(fields: tuple[str, ...]) -> msgspec.json.Decoder[Any] | None:
    projection = _projection(fields)
    return None if projection is None else msgspec.json.Decoder(projection)


@lru_cache(maxsize=256)
def _reader_of_each(fields: tuple[str, ...]) -> msgspec.json.Decoder[Any] | None:
    projection = _projection(fields)
    return None if projection is None else msgspec.json.Decoder(list[projection])  # type: ignore[valid-type]


def texts_of(item: Value, fields: tuple[str, ...]) -> tuple[str | None, ...] | None:
    """The texts of some members of an object (None for other types and absent ones), or None when it is no object.

    An untouched object is read in one pass and stays untouched.
    """
    reader = _reader(fields) if type(item) is Raw else None
    if reader is not None:
        try:
            return msgspec.structs.astuple(reader.decode(item))  # type: ignore[arg-type]
        except msgspec.ValidationError:
            pass  # no object, or a member of another type
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise DocumentError(f"a value cannot be decoded: {error}") from error
    members = opened(item)
    return tuple(text_of(members.get(name)) for name in fields) if isinstance(members, dict) else None


def texts_of_each(items: List, fields: tuple[str, ...]) -> list[tuple[str | None, ...] | None]:
    """:func:`texts_of` for every item of a list, in one pass: it costs little more than for one."""
    reader = _reader_of_each(fields)
    if reader is not None:
        try:
            joined = b"".join((b"[", b",".join(items), b"]"))  # type: ignore[arg-type]  # untouched items are buffers
        except TypeError:
            joined = _ENCODER.encode(items)
        try:
            return list(map(msgspec.structs.astuple, reader.decode(joined)))
        except (msgspec.DecodeError, UnicodeDecodeError):
            pass  # an item is no object, or a member has another type: one by one
    return [texts_of(item, fields) for item in items]
