"""What is said of a path and the kinds that it was read with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from admission.crd.definition import Definition, Version

_MOST_NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class Kind:
    """One version of a kind."""

    definition: Definition
    version: Version


@dataclass(frozen=True, slots=True)
class Remark:
    """What is said: ``head``, then the kinds, then ``tail``. ``wrong``: a policy that means it does not work there."""

    head: str
    tail: str
    wrong: bool = True

    def of(self, kinds: Iterable[Kind]) -> str:
        """The whole message."""
        return f"{self.head} {named(kinds)}{self.tail}"


def named(kinds: Iterable[Kind]) -> str:
    """Kinds by the names of their CRDs, with the versions: ``widgets.example.com (v1, v1beta1)``."""
    versions: dict[str, list[str]] = {}
    for kind in kinds:
        versions.setdefault(kind.definition.name, []).append(kind.version.name)
    told = [f"{name} ({', '.join(each)})" for name, each in versions.items()]
    more = len(told) - _MOST_NAMED
    return ", ".join(told[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
