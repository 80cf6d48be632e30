"""YAML 1.2 (core schema) with line marks, bounded, for files that people and tools write.

``NO``, ``on`` and dates are text, ``017`` is 17, ``0o17`` is 15; a key is always text. A key that occurs twice, a tag,
a number that JSON has not, an alias inside its own anchor and a document that grows beyond :data:`MAX_NODES` when its
aliases are written out are problems, never surprises.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final, TextIO, TypeAlias

import yaml
import yamlcore

from admission import regularfile
from admission.errors import FileError, PolicyError, Problem
from admission.policyfile.wording import quote

Loc: TypeAlias = tuple[str | int, ...]
"""The way down into plain data: keys and positions."""

MAX_FILE_BYTES: Final = 1024 * 1024  # a ConfigMap cannot hold more
MAX_NODES: Final = 1_000_000  # a file of 1 MiB without aliases has at most half as many ("1,1,1,…")
MAX_DEPTH: Final = 200  # twice the deepest published CRD schema; two Python frames a level
SUFFIXES: Final = (".yaml", ".yml", ".json")
STDIN: Final = "-"
STDIN_NAME: Final = "<stdin>"

_CORE: Final = "tag:yaml.org,2002:"
_TEXT, _MAP, _LIST = f"{_CORE}str", f"{_CORE}map", f"{_CORE}seq"
_SCALARS: Final = frozenset(f"{_CORE}{name}" for name in ("str", "int", "float", "bool", "null"))
_PAIR_IN_JSON: Final = re.compile(r"\\\\|\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_NO_CHILDREN: Final[Mapping[str | int, Lines]] = {}


@dataclass(frozen=True, slots=True)
class Lines:
    """Where a value and what is inside it stand in their file; lines count from 1, 0 is unknown.

    The line of a map's entry is that of its key, the line of a list's item that of its first character.
    """

    line: int = 0
    children: Mapping[str | int, Lines] = field(default_factory=lambda: _NO_CHILDREN, repr=False)

    def below(self, path: Loc) -> Lines:
        """The lines below ``path``, as far as it leads."""
        here = self
        for key in path:
            child = here.children.get(key)
            if child is None:
                break
            here = child
        return here

    def at(self, path: Loc) -> int:
        """The line of what ``path`` leads to, or of the nearest value around it."""
        return self.below(path).line


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """One document of a file: plain data (``dict``, ``list``, ``str``, numbers, ``bool``, ``None``) and its lines."""

    data: Any
    lines: Lines
    file: str


def yaml_files(directory: Path) -> list[Path]:
    """The YAML and JSON files of a directory itself, sorted; not what is hidden (``..data`` of a ConfigMap mount).

    Raises:
        PolicyError: the directory cannot be read.
    """
    try:
        entries = sorted(directory.iterdir())
        return [
            entry
            for entry in entries
            if not entry.name.startswith(".") and entry.suffix in SUFFIXES and not entry.is_dir()
        ]
    except OSError as error:
        raise PolicyError([Problem(str(directory), 0, "", _cannot_read(error))]) from error


def read_bytes(path: str | Path, limit: int = MAX_FILE_BYTES) -> bytes:
    """What is in a regular file of at most ``limit`` bytes.

    Raises:
        PolicyError: it cannot be read, or it is larger.
    """
    try:
        return regularfile.read(path, limit)
    except FileError as error:
        raise PolicyError([Problem(error.name, 0, "", f"cannot be read: {error.reason}")]) from error


def read_stream(stream: BinaryIO | TextIO, name: str = STDIN_NAME, limit: int = MAX_FILE_BYTES) -> bytes:
    """What comes from an open stream, at most ``limit`` bytes.

    Raises:
        PolicyError: it cannot be read, or there is more.
    """
    try:
        content = stream.read(limit + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise PolicyError([Problem(name, 0, "", f"cannot be read: {error}")]) from error
    found = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    if len(found) > limit:
        raise PolicyError([Problem(name, 0, "", f"cannot be read: it is larger than {limit} bytes")])
    return found


def parse_documents(content: bytes, file: str) -> tuple[list[YamlDocument], list[Problem]]:
    """Every document in ``content``, empty ones left out, and every problem with it.

    A document with a problem is left out; one that is no YAML ends the file, what stands before it is still read.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        return [], [Problem(file, line, "", f"is no UTF-8 text (byte {error.start + 1}); save it as UTF-8")]
    if text.lstrip()[:1] in ("{", "["):  # JSON, whatever the file's name
        text = _PAIR_IN_JSON.sub(_code_point, text)
    return _Reader(text, file).read()


def load_documents(content: bytes, file: str) -> list[YamlDocument]:
    """Every document in ``content``, empty ones left out.

    Raises:
        PolicyError: with every problem.
    """
    documents, problems = parse_documents(content, file)
    if problems:
        raise PolicyError(problems)
    return documents


def _cannot_read(error: OSError) -> str:
    return f"cannot be read: {error.strerror or error}"


def _code_point(match: re.Match[str]) -> str:
    r"""A pair of JSON escapes as the one that YAML knows (``\ud83d\ude00`` → ``\U0001f600``)."""
    if match[1] is None:
        return match[0]
    pair = chr(int(match[1], 16)) + chr(int(match[2], 16))
    return f"\\U{ord(pair.encode('utf-16', 'surrogatepass').decode('utf-16')):08x}"


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


class _Reader:
    """Builds plain data from the events of libyaml's parser."""

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
