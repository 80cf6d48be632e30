"""YAML that every reader understands alike: what YAML 1.1 would misread (``NO``, ``1e3``, dates) is quoted."""

from __future__ import annotations

from typing import Any, Final

import yaml
import yamlcore
from msgspec import Raw

from admission.engine.values import scalar_text, text_of

_TAG: Final = "tag:yaml.org,2002:"
_TEXT: Final = f"{_TAG}str"
_UNBROKEN: Final = 2**31 - 1
"""A line is never folded, however long the text: a diff goes by lines."""


class _Dumper(yamlcore.CCoreDumper):  # type: ignore[misc]  # untyped library
    """Writes trees and Python's own types in full: no anchors, since a reader wants to see what is there."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


_YAML11: Final[Any] = yaml.resolver.Resolver()
_GO_BOOLEANS: Final = frozenset("yYnN")
"""Booleans to kubectl's reader, beyond those of PyYAML."""


def _represent_text(dumper: Any, text: str) -> yaml.ScalarNode:
    node: yaml.ScalarNode
    if "\n" in text:
        node = dumper.represent_scalar(_TEXT, text, style="|")
    elif text in _GO_BOOLEANS or _YAML11.resolve(yaml.ScalarNode, text, (True, False)) != _TEXT:
        node = dumper.represent_scalar(_TEXT, text, style='"')
    else:
        node = dumper.represent_scalar(_TEXT, text)
    return node


def _represent_raw(dumper: Any, raw: Raw) -> yaml.ScalarNode:
    text = text_of(raw)
    if text is not None:
        return _represent_text(dumper, text)
    literal = scalar_text(raw)
    assert literal is not None, "a tree is opened to the bottom"  # noqa: S101
    node: yaml.ScalarNode = dumper.represent_scalar(f"{_TAG}{_kind_of(literal)}", literal)
    return node


def _kind_of(literal: str) -> str:
    if literal in ("true", "false"):
        return "bool"
    if literal == "null":
        return "null"
    return "float" if any(mark in literal for mark in ".eE") else "int"


_Dumper.add_representer(str, _represent_text)
_Dumper.add_representer(Raw, _represent_raw)


def to_yaml(value: Any, *, sort: bool = False) -> str:
    """One document, with a line break at its end, without ``---``."""
    text: str = yaml.dump(
        value, Dumper=_Dumper, sort_keys=sort, default_flow_style=False, allow_unicode=True, width=_UNBROKEN
    )
    return text.removesuffix("...\n")


def to_documents(values: list[Any], *, sort: bool = False) -> str:
    """Several documents, ``---`` between them."""
    return "---\n".join(to_yaml(value, sort=sort) for value in values)
