"""What changed, as lines of a unified diff of YAML."""

from __future__ import annotations

import difflib
from typing import Any, Final

from admission.offline.yamltext import to_yaml

CONTEXT: Final = 3
"""Equal lines around a change, as ``diff -u`` shows them."""


def lines_of(value: Any) -> list[str]:
    """The YAML lines of a tree, members sorted; none for what is absent (None)."""
    return [] if value is None else to_yaml(value, sort=True).splitlines()


def unified(before: Any, after: Any, before_name: str, after_name: str) -> list[str]:
    """The lines of a unified diff of two trees, without line breaks; none when the trees are equal."""
    return list(
        difflib.unified_diff(lines_of(before), lines_of(after), before_name, after_name, n=CONTEXT, lineterm="")
    )
