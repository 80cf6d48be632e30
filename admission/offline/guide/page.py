"""A field as a page of text, in the manner of ``kubectl explain``."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import Final

from admission.offline.guide.documents import Found
from admission.offline.guide.node import Node

_INDENT: Final = " " * 4
_MEMBER: Final = " " * 2
_WIDTH: Final = 100
_OF_WORDS: Final = frozenset({"string", "[]string"})
_REQUIRED: Final = " -required-"


def page(found: Found, *, recursive: bool = False) -> Iterator[str]:
    """The lines: KIND, VERSION, FIELD, DESCRIPTION and FIELDS; with ``recursive`` the names of all fields below."""
    node = found.node
    yield f"KIND:     {found.kind}"
    yield f"VERSION:  {found.version}"
    yield ""
    if found.path:
        yield f"FIELD: {_head(node)}"
        yield ""
    yield "DESCRIPTION:"
    yield from _folded(node.description or "It has no description.", _INDENT)
    yield from _facts(node, _INDENT)
    if node.members:
        yield ""
        yield "FIELDS:"
        yield from _tree(node, _MEMBER, ()) if recursive else _members(node)


def _head(node: Node) -> str:
    return f"{node.name} <{node.type}>{_REQUIRED if node.required else ''}"


def _facts(node: Node, indent: str) -> Iterator[str]:
    if node.words and node.type in _OF_WORDS:
        yield from _folded(f"One of: {', '.join(node.words)}", indent)
    if node.default:
        yield from _folded(f"Default: {node.default}", indent)


def _members(node: Node) -> Iterator[str]:
    for at, each in enumerate(node.members):
        if at:
            yield ""
        yield f"{_MEMBER}{_head(each)}"
        yield from _folded(each.summary, _INDENT)
        yield from _facts(each, _INDENT)


def _tree(node: Node, indent: str, seen: tuple[frozenset[int], ...]) -> Iterator[str]:
    for each in node.members:
        yield f"{indent}{_head(each)}"
        if each.members and each.identity not in seen:
            yield from _tree(each, indent + _MEMBER, (*seen, each.identity))


def _folded(text: str, indent: str) -> Iterator[str]:
    """Paragraphs, folded between words."""
    for at, paragraph in enumerate(text.split("\n\n")):
        if at:
            yield ""
        yield from wrap(
            " ".join(paragraph.split()),
            _WIDTH,
            initial_indent=indent,
            subsequent_indent=indent,
            break_on_hyphens=False,  # a `no-op` and a flag stay what can be searched for
        )
