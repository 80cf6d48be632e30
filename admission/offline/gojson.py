"""Objects as the API server stores them: Go's JSON from JSON or YAML text, numbers kept as written.

A *tree* is an engine :data:`~admission.engine.values.Value` that is opened to the bottom: dicts and lists, and
``msgspec.Raw`` for every scalar. Nothing passes through a float, so ``1``, ``1.0`` and integers of any size survive.
"""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Iterator
from typing import Final

import msgspec
import yaml
import yamlcore
from msgspec import Raw
from yaml.composer import Composer

from admission.engine.values import NULL, List, Object, Value, opened, quoted, text_of
from admission.errors import DocumentError
from admission.offline.strictjson import TOO_DEEP, is_json, values_of

_TAG: Final = "tag:yaml.org,2002:"
_JSON_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)
_JSON_SUFFIX: Final = ".json"
_LITERALS: Final = {"true": Raw(b"true"), "false": Raw(b"false")}
_DEEPEST: Final = 250
"""Levels of nesting: three frames a level here, and Python stops at 1,000."""

_LONGEST_SHOWN: Final = 40
_MOST_NODES: Final = 5_000_000
"""Values of a document with its aliases written out; a review of 32 MiB has fewer."""


def tree_of_json(text: bytes | Raw) -> Value:
    """Open JSON to the bottom.

    Raises:
        DocumentError: the bytes are no JSON, or are nested too deep.
    """
    try:
        return _opened_through(Raw(text), 0)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DocumentError(f"it cannot be read as JSON: {error}") from error


def _opened_through(raw: Raw, depth: int) -> Value:
    inside = opened(raw)
    if inside is None:
        # decoding proves the scalar and the blanks around it; a string is written again as Go would
        return quoted(text) if (text := text_of(raw)) is not None else Raw(msgspec.json.format(raw, indent=-1))
    if depth > _DEEPEST:
        raise DocumentError(f"it is nested deeper than {_DEEPEST} levels")
    if isinstance(inside, dict):
        return {key: _opened_through(_raw(value), depth + 1) for key, value in inside.items()}
    return [_opened_through(_raw(value), depth + 1) for value in inside]


def _raw(value: Value) -> Raw:
    assert isinstance(value, Raw), "one level was opened"  # noqa: S101
    return value


def documents_of(text: bytes, name: str) -> Iterator[Value]:
    """Every document of a file of JSON, JSON lines or YAML 1.2, as trees; empty documents are left out.

    ``name`` is the file's name for messages.

    Raises:
        DocumentError: with file and line.
    """
    text = text.removeprefix(codecs.BOM_UTF8)
    if _must_be_json(text, name):
        yield from (_named_tree(value, name) for value in values_of(text, name))
    else:
        yield from (tree_of_node(node, name) for node in compose_all(text, name) if not is_null_node(node))


def _must_be_json(text: bytes, name: str) -> bool:
    """True for a file that says so, and for what is JSON as it stands (YAML may begin with a brace, too)."""
    if name.lower().endswith(_JSON_SUFFIX):
        return bool(text.strip())
    return text.lstrip()[:1] in (b"{", b"[") and is_json(text)


def _named_tree(value: Raw, name: str) -> Value:
    try:
        return tree_of_json(value)
    except DocumentError as error:
        raise DocumentError(f"{name}: {error}") from error


class _Loader(Composer, yamlcore.CCoreLoader):  # type: ignore[misc]  # yamlcore has no types
    """YAML 1.2 on the C parser, with a composer that lets a later anchor take over a name, as the standard does."""

    def __init__(self, stream: bytes) -> None:
        yamlcore.CCoreLoader.__init__(self, stream)
        Composer.__init__(self)

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()
        if not isinstance(event, yaml.AliasEvent):
            self.anchors.pop(getattr(event, "anchor", None), None)
        return super().compose_node(parent, index)


def compose_all(text: bytes, name: str) -> Iterator[yaml.Node]:
    """The YAML 1.2 nodes of every document.

    Raises:
        DocumentError: with file and line.
    """
    try:
        yield from yaml.compose_all(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise DocumentError(f"{name}:{line}: not valid YAML: {error.problem}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise DocumentError(f"{name}: not valid YAML: {' '.join(str(error).split())}") from error
    except RecursionError as error:
        raise DocumentError(f"{name}: {TOO_DEEP}") from error


def tree_of_node(node: yaml.Node, name: str) -> Value:
    """The tree of one YAML node; scalars are resolved as YAML 1.2 core does.

    Raises:
        DocumentError: a key that is no text or occurs twice, ``.nan``, a tag of another world; with file and line.
    """
    return _Conversion(name).convert(node)


class _Conversion:
    """One walk over nodes; remembers where it is, so that an alias to its own parent is found."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._around: set[int] = set()
        self._left = _MOST_NODES

    def convert(self, node: yaml.Node) -> Value:
        self._left -= 1
        if not self._left:
            raise self._wrong(node, f"it has more than {_MOST_NODES} values with its aliases written out")
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if id(node) in self._around:
            raise self._wrong(node, "an alias leads to its own parent")
        if len(self._around) > _DEEPEST:
            raise self._wrong(node, f"it is nested deeper than {_DEEPEST} levels")
        self._around.add(id(node))
        try:
            return self._mapping(node) if isinstance(node, yaml.MappingNode) else self._sequence(node)
        finally:
            self._around.discard(id(node))

    def _sequence(self, node: yaml.Node) -> List:
        assert isinstance(node, yaml.SequenceNode), "neither a scalar nor a mapping"  # noqa: S101
        return [self.convert(item) for item in node.value]

    def _mapping(self, node: yaml.MappingNode) -> Object:
        members: Object = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise self._wrong(key, "a key must be text")
            if key.value in members:
                raise self._wrong(key, f"the key {key.value!r} occurs twice")
            members[key.value] = self.convert(value)
        return members

    def _scalar(self, node: yaml.ScalarNode) -> Raw:
        match node.tag.removeprefix(_TAG):
            case "str":
                return quoted(node.value)
            case "null":
                return NULL
            case "bool":
                return _LITERALS[node.value.lower()]
            case "int" | "float":
                return self._number(node)
            case _:
                raise self._wrong(node, f"the tag {node.tag} is not JSON")

    def _number(self, node: yaml.ScalarNode) -> Raw:
        number = json_number(node.value)
        if number is None or not math.isfinite(float(number)):
            raise self._wrong(node, f"{_shown(node.value)} is no number in JSON; quote it if it is text")
        return Raw(number.encode())

    def _wrong(self, node: yaml.Node, message: str) -> DocumentError:
        return DocumentError(f"{self._name}:{node.start_mark.line + 1}: {message}")


def json_number(text: str) -> str | None:
    """A YAML 1.2 number as JSON writes it (``0x1F`` → ``31``, ``.5`` → ``0.5``, ``007`` → ``7``); None for ``.inf``."""
    if _JSON_NUMBER.fullmatch(text):
        return text
    sign, digits = ("-", text[1:]) if text[:1] == "-" else ("", text.removeprefix("+"))
    for prefix, base in (("0x", 16), ("0o", 8)):
        if digits.startswith(prefix):
            try:
                return f"{sign}{int(digits[2:], base)}"
            except ValueError:  # Python writes no integer of more than 4,300 digits
                return None
    mantissa, exponent_mark, exponent = re.fullmatch(r"([^eE]*)([eE]?)(.*)", digits, re.DOTALL).groups()  # type: ignore[union-attr]  # matches any text
    whole, _, fraction = mantissa.partition(".")
    tidy = f"{sign}{whole.lstrip('0') or '0'}{'.' + fraction if fraction else ''}{exponent_mark}{exponent}"
    return tidy if _JSON_NUMBER.fullmatch(tidy) else None


def _shown(number: str) -> str:
    return number if len(number) <= _LONGEST_SHOWN else f"{number[:_LONGEST_SHOWN]}…"


def is_null_node(node: yaml.Node) -> bool:
    """True for a document with nothing in it."""
    return isinstance(node, yaml.ScalarNode) and node.tag == f"{_TAG}null"


def encode(value: Value) -> bytes:
    """A tree as the API server stores it: members sorted, compact; strings are in Go's form already."""
    if isinstance(value, dict):
        return b"{" + b",".join(bytes(quoted(key)) + b":" + encode(value[key]) for key in sorted(value)) + b"}"
    if isinstance(value, list):
        return b"[" + b",".join(map(encode, value)) + b"]"
    return bytes(value)
