"""Plain data and its lines, built from the events of libyaml's parser within bounds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import yaml
import yamlcore

from admission.errors import Problem
from admission.policyfile.lines import Lines
from admission.policyfile.wording import quote

MAX_NODES: Final = 1_000_000  # a file of 1 MiB without aliases has at most half as many ("1,1,1,…")
MAX_DEPTH: Final = 200  # twice the deepest published CRD schema; two Python frames a level

_CORE: Final = "tag:yaml.org,2002:"
_TEXT, _MAP, _LIST = f"{_CORE}str", f"{_CORE}map", f"{_CORE}seq"
_SCALARS: Final = frozenset(f"{_CORE}{name}" for name in ("str", "int", "float", "bool", "null"))


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """One document of a file: plain data (``dict``, ``list``, ``str``, numbers, ``bool``, ``None``) and its lines."""

    data: Any
    lines: Lines
    file: str


class _DocumentError(Exception):
    """The document at hand cannot be built; the stream can still be read on."""

    def __init__(self, event: yaml.Event, message: str) -> None:
        super().__init__(message)
        self.line = _line(event)


@dataclass(slots=True)
class _Node:
    """A built value, where it stands, and how many values it holds when aliases are written out."""

    value: Any
    lines: Lines
    size: int = 1


class Reader:
    """Builds plain data from the text of a file."""

    def __init__(self, text: str, file: str) -> None:
        self._text = text
        self._file = file
        self._problems: list[Problem] = []
        self._anchors: dict[str, _Node | None] = {}
        self._size = 0
        # C scanner and parser; the core schema's resolver and scalars. Its composer is not used: it has no bounds.
        self._loader: Any = yamlcore.CCoreLoader(text)

    def read(self) -> tuple[list[YamlDocument], list[Problem]]:
        documents: list[YamlDocument] = []
        try:
            documents.extend(self._documents())
        except yaml.YAMLError as error:
            self._problems.append(Problem(self._file, self._error_line(error), "", self._syntax_message(error)))
        finally:
            self._loader.dispose()
        return documents, self._problems

    def _documents(self) -> Iterator[YamlDocument]:
        while not isinstance(event := self._loader.get_event(), yaml.StreamEndEvent):
            if not isinstance(event, yaml.DocumentStartEvent):
                continue
            self._anchors.clear()
            before = len(self._problems)
            try:
                node = self._node(self._loader.get_event(), depth=0)
            except _DocumentError as error:
                self._problems.append(Problem(self._file, error.line, "", str(error)))
                self._skip_document()
                continue
            if node.value is not None and len(self._problems) == before:
                yield YamlDocument(node.value, node.lines, self._file)

    def _skip_document(self) -> None:
        while not isinstance(self._loader.get_event(), yaml.DocumentEndEvent):
            pass

    def _node(self, event: yaml.Event, depth: int) -> _Node:
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        assert isinstance(event, yaml.NodeEvent)  # noqa: S101 - libyaml's grammar: a node starts here
        if depth > MAX_DEPTH:
            raise _DocumentError(event, f"is nested deeper than {MAX_DEPTH} levels")
        if event.anchor:
            self._anchors[event.anchor] = None
        self._count(event, 1)
        if isinstance(event, yaml.MappingStartEvent):
            node = self._map(event, depth)
        elif isinstance(event, yaml.SequenceStartEvent):
            node = self._list(event, depth)
        else:
            assert isinstance(event, yaml.ScalarEvent)  # noqa: S101 - the last kind of node there is
            node = _Node(self._scalar(event), Lines(_line(event)))
        if event.anchor:
            self._anchors[event.anchor] = node
        return node

    def _count(self, event: yaml.Event, size: int) -> None:
        self._size += size
        if self._size > MAX_NODES:
            raise _DocumentError(event, f"has more than {MAX_NODES} values with its aliases written out")

    def _alias(self, event: yaml.AliasEvent) -> _Node:
        if event.anchor not in self._anchors:
            raise _DocumentError(event, f"the alias *{event.anchor} has no anchor before it")
        node = self._anchors[event.anchor]
        if node is None:
            raise _DocumentError(event, f"the alias *{event.anchor} stands inside its own anchor")
        self._count(event, node.size)
        return node

    def _map(self, start: yaml.MappingStartEvent, depth: int) -> _Node:
        _refuse_tag(start, _MAP)
        value: dict[str, Any] = {}
        lines: dict[str | int, Lines] = {}
        size = 1
        while not isinstance(event := self._loader.get_event(), yaml.MappingEndEvent):
            key = self._key(event)
            entry = self._node(self._loader.get_event(), depth + 1)
            size += entry.size
            if key in value:
                self._repeated(event, key, lines[key].line)
                continue
            value[key] = entry.value
            lines[key] = Lines(_line(event), entry.lines.children)
        return _Node(value, Lines(_line(start), lines), size)

    def _key(self, event: yaml.Event) -> str:
        if isinstance(event, yaml.AliasEvent):
            key = self._alias(event).value
            if isinstance(key, str):
                return key
        elif isinstance(event, yaml.ScalarEvent):
            if event.anchor:
                self._anchors[event.anchor] = _Node(event.value, Lines(_line(event)))
            return str(event.value)
        raise _DocumentError(event, "a key is no text; quote it")

    def _repeated(self, event: yaml.Event, key: str, first: int) -> None:
        message = f"the key {quote(key)} occurs twice in one map (first in line {first}); keep one"
        self._problems.append(Problem(self._file, _line(event), "", message))

    def _list(self, start: yaml.SequenceStartEvent, depth: int) -> _Node:
        _refuse_tag(start, _LIST)
        value: list[Any] = []
        lines: dict[str | int, Lines] = {}
        size = 1
        while not isinstance(event := self._loader.get_event(), yaml.SequenceEndEvent):
            item = self._node(event, depth + 1)
            size += item.size
            lines[len(value)] = Lines(_line(event), item.lines.children)
            value.append(item.value)
        return _Node(value, Lines(_line(start), lines), size)

    def _scalar(self, event: yaml.ScalarEvent) -> Any:
        tag = event.tag
        if tag is None or tag == "!":
            tag = self._loader.resolve(yaml.ScalarNode, event.value, event.implicit)
        if tag == _TEXT:
            return event.value
        if tag not in _SCALARS:
            raise _DocumentError(event, f"the tag {_short(tag)} has no meaning here; leave it out")
        try:
            value = self._loader.construct_object(yaml.ScalarNode(tag, event.value, None, None))
            str(value)  # Python writes no integer of more than 4,300 digits, which 0x… can be
        except (ValueError, KeyError, IndexError) as error:
            raise _DocumentError(event, f"{quote(event.value)} cannot be read as {_short(tag)}") from error
        if isinstance(value, float) and not math.isfinite(value):
            raise _DocumentError(event, f"{quote(event.value)} is no number that JSON knows; quote it")
        return value

    def _error_line(self, error: yaml.YAMLError) -> int:
        if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
            return int(error.problem_mark.line) + 1
        if isinstance(error, yaml.reader.ReaderError):
            return self._text.encode().count(b"\n", 0, error.position) + 1
        return 0

    def _syntax_message(self, error: yaml.YAMLError) -> str:
        if isinstance(error, yaml.reader.ReaderError):
            return f"is no text: character #x{error.character:04x} is not allowed; is this a binary file?"
        if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
            return f"is no YAML: {error}"
        mark = error.problem_mark
        line = "".join(self._text.split("\n")[mark.line : mark.line + 1])
        cause = "; indent with blanks, not tabs" if line[mark.column : mark.column + 1] == "\t" else ""
        return f"is no YAML: {error.problem} (column {mark.column + 1}){cause}"


def _line(event: yaml.Event) -> int:
    mark = event.start_mark
    return 0 if mark is None else mark.line + 1


def _refuse_tag(event: yaml.CollectionStartEvent, own: str) -> None:
    if event.tag not in (None, "!", own):
        raise _DocumentError(event, f"the tag {_short(event.tag)} has no meaning here; leave it out")


def _short(tag: str) -> str:
    return f"!!{tag.removeprefix(_CORE)}" if tag.startswith(_CORE) else tag
