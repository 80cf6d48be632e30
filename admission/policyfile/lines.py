"""Where the values of a file stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

Loc: TypeAlias = tuple[str | int, ...]
"""The way down into plain data: keys and positions."""

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
