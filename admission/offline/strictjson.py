"""JSON that the API server would take: well-formed, no key twice in one object, no number beyond a float's range."""

from __future__ import annotations

import math
import re
from typing import Final

import msgspec
from msgspec import Raw

from admission.errors import DocumentError

_LINES: Final = msgspec.json.Decoder(Raw)
_TEXT: Final = msgspec.json.Decoder(str)
_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"|[{}\[\]:,]|[-0-9][0-9.eE+-]*')
_BYTE: Final = re.compile(r"\s*\(byte (\d+)\)")
TOO_DEEP: Final = "it is nested too deep"


def values_of(text: bytes, name: str) -> list[Raw]:
    """The JSON value in ``text``, or one a line. ``name`` is the file's name for messages.

    Raises:
        DocumentError: it is neither, or the API server would not take it; with file and line.
    """
    _check_text(text, name)
    try:
        values = _read(text)
    except RecursionError as error:
        raise DocumentError(f"{name}: {TOO_DEEP}") from error
    except msgspec.DecodeError as error:
        raise DocumentError(f"{name}:{_line_of(error, text)}: not valid JSON: {_BYTE.sub('', str(error))}") from error
    _Check(text, name).run()
    return values


def is_json(text: bytes) -> bool:
    """True for one JSON value, or one a line, whatever the API server would say to it."""
    try:
        _read(text)
    except RecursionError:
        return True
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return True


def _read(text: bytes) -> list[Raw]:
    try:
        return [msgspec.json.decode(text, type=Raw)]
    except (msgspec.DecodeError, UnicodeDecodeError):
        try:
            return _LINES.decode_lines(text)
        except (msgspec.DecodeError, UnicodeDecodeError):
            pass
        raise  # of the two, the message about the text as a whole


def _check_text(text: bytes, name: str) -> None:
    try:
        text.decode()
    except UnicodeDecodeError as error:
        line = _line(text, error.start)
        raise DocumentError(f"{name}:{line}: is no UTF-8 text (byte {error.start + 1}); save it as UTF-8") from error


def _line_of(error: msgspec.DecodeError, text: bytes) -> int:
    """Where reading stopped: at the byte that the message names, or at the end."""
    named = _BYTE.search(str(error))
    return _line(text, int(named[1]) if named else len(text.rstrip()))


def _line(text: bytes, at: int) -> int:
    return text.count(b"\n", 0, at) + 1


class _Check:
    """One walk over the tokens of text that is JSON, with the keys of every object that is open."""

    def __init__(self, text: bytes, name: str) -> None:
        self._text = text
        self._name = name
        self._around: list[set[bytes] | None] = []  # None is a list

    def run(self) -> None:
        before = b""
        for match in _TOKEN.finditer(self._text):
            token = match[0]
            match token[:1]:
                case b"{" | b"[":
                    self._around.append(set() if token == b"{" else None)
                case b"}" | b"]":
                    self._around.pop()
                case b'"' if before in (b"{", b","):
                    self._key(token, match.start())
                case b":" | b"," | b'"':
                    pass
                case _:
                    self._number(token, match.start())
            before = token

    def _key(self, token: bytes, at: int) -> None:
        keys = self._around[-1] if self._around else None
        if keys is None:
            return  # a text in a list
        key = _TEXT.decode(token).encode() if b"\\" in token else token[1:-1]
        if key in keys:
            raise self._wrong(at, f"the key {key.decode()!r} occurs twice")
        keys.add(key)

    def _number(self, token: bytes, at: int) -> None:
        if not math.isfinite(float(token)):
            raise self._wrong(at, f"{token.decode()} is too large for a number; quote it if it is text")

    def _wrong(self, at: int, message: str) -> DocumentError:
        return DocumentError(f"{self._name}:{_line(self._text, at)}: {message}")
