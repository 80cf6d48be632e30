"""What can be explained: policies, suites and lines of the decision log, and the paths into them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from admission.errors import SettingsError
from admission.nearest import nearest
from admission.observe.entryschema import entry_schema
from admission.offline.guide.node import Node
from admission.offline.suiteschema import suite_schema
from admission.policyfile.document import API_VERSION
from admission.policyfile.jsonschema import policy_schema
from admission.policyfile.wording import one_of

_POSITION: Final = re.compile(r"\[[^\]]*\]")
_DEEPEST: Final = 12
_MOST_SHOWN: Final = 3
_POLICY: Final = "policy"
_MAKERS: Final = {_POLICY: policy_schema, "suite": suite_schema, "decision-log": entry_schema}
NAMES: Final = tuple(_MAKERS)


@dataclass(frozen=True, slots=True)
class Found:
    """A field: the document that it is in (``policy``), its kind, and the way to it from there (``spec.trim``)."""

    document: str
    kind: str
    path: str
    node: Node

    @property
    def version(self) -> str:
        """The version of the document."""
        return API_VERSION


def look_up(path: str) -> Found:
    """What a path leads to: ``spec.trim.capList``, ``suite.cases.expect``, ``decision-log``; of a policy by default.

    Positions in lists may stand in it (``spec.trim[0]``) and mean nothing.

    Raises:
        SettingsError: there is no such field; with the nearest one.
    """
    words = [word for word in _POSITION.sub("", path).split(".") if word]
    document = _document(words)
    schemas = {name: make() for name, make in _MAKERS.items()}
    node = Node("", schemas[document], schemas[document])
    for at, word in enumerate(words):
        inside = node.member(word)
        if inside is None:
            raise SettingsError(_unknown(path, document, node, words[:at], words[at:], schemas))
        node = inside
    return Found(document, str(schemas[document]["title"]), ".".join(words), node)


def _document(words: list[str]) -> str:
    """The document that the first word names, which is then taken away; a policy when it names none."""
    titles = {**{name: name for name in NAMES}, "statuspolicy": _POLICY, "suites": "suite", "policies": _POLICY}
    if words and (named := titles.get(words[0].lower())):
        del words[0]
        return named
    return _POLICY


def _unknown(
    path: str, document: str, node: Node, known: list[str], rest: list[str], schemas: Mapping[str, Mapping[str, Any]]
) -> str:
    prefix = [] if document == _POLICY else [document]
    guess = _mended(node, rest)
    if guess is not None:
        return f'{path}: there is no field "{rest[0]}"; did you mean {".".join([*prefix, *known, *guess])}?'
    elsewhere = _elsewhere(rest[-1], schemas)
    if elsewhere:
        return f'{path}: there is no field "{rest[0]}" there; did you mean {one_of(elsewhere[:_MOST_SHOWN])}?'
    fields = ", ".join(each.name for each in node.members)
    return f'{path}: there is no field "{rest[0]}"; {f"known there: {fields}" if fields else "it is a plain value"}'


def _mended(node: Node, words: list[str]) -> list[str] | None:
    """The words with each one that is misspelt replaced by the nearest field; None when there is none near."""
    mended: list[str] = []
    for word in words:
        name = word if node.member(word) else nearest(word, [each.name for each in node.members])
        inside = None if name is None else node.member(name)
        if inside is None:
            return mended or None
        node = inside
        mended.append(inside.name)
    return mended


def _elsewhere(word: str, schemas: Mapping[str, Mapping[str, Any]]) -> Sequence[str]:
    """Paths of fields of that name in whatever document, the shortest first; where there are none, of the nearest."""
    paths = [
        ("" if name == _POLICY else f"{name}.") + path
        for name, schema in schemas.items()
        for path in sorted(paths_below(Node("", schema, schema)), key=lambda path: path.count("."))
    ]
    by_name: defaultdict[str, list[str]] = defaultdict(list)
    for path in paths:
        by_name[path.rpartition(".")[2]].append(path)
    return by_name.get(word) or by_name.get(nearest(word, by_name) or "", [])


def paths_below(node: Node, way: tuple[str, ...] = (), seen: tuple[frozenset[int], ...] = ()) -> Iterator[str]:
    """The paths of all fields below one; a map that holds itself is entered once."""
    if (node.identity and node.identity in seen) or len(way) > _DEEPEST:
        return
    for each in node.members:
        yield ".".join((*way, each.name))
        yield from paths_below(each, (*way, each.name), (*seen, node.identity))
