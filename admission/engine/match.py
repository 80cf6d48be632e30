"""Which writes a policy looks at: a tuple of criteria, each met when it is absent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from admission.engine.attributes import Attributes
from admission.engine.labels import LabelSelector
from admission.engine.requirement import Requirement

_EVERYTHING: Final = ("*",)


@dataclass(frozen=True, slots=True)
class ResourceRule:
    """Resources in the form of a webhook rule: ``jobs/status``, ``applications``, ``*/status``."""

    groups: tuple[str, ...]
    resources: tuple[str, ...]
    versions: tuple[str, ...] = ("*",)

    def covers_version(self, version: str) -> bool:
        """True when the rule names the version, or all."""
        return "*" in self.versions or version in self.versions


@dataclass(frozen=True, slots=True)
class Globs:
    """Names by patterns of ``*`` and ``?``; what is excluded is out, whatever includes it."""

    include: tuple[str, ...] = _EVERYTHING
    exclude: tuple[str, ...] = ()

    def admits(self, name: str) -> bool:
        """True when some pattern includes the name and none excludes it."""
        if self.include == _EVERYTHING and not self.exclude:
            return True
        return _any_glob(self.include, name) and not _any_glob(self.exclude, name)


@dataclass(frozen=True, slots=True)
class Match:
    """Which writes a policy looks at. Every criterion is met when it is absent.

    ``names`` are those of objects: empty while the API server is still to make one (``generateName``). ``users`` are
    ``userInfo.username``.
    """

    resources: tuple[ResourceRule, ...]
    namespaces: Globs = Globs()
    when: tuple[Requirement, ...] = ()
    names: Globs = Globs()
    users: Globs = Globs()
    selector: LabelSelector | None = None

    def admits(self, attributes: Attributes) -> bool:
        """True when namespace, name and user are the policy's."""
        return (
            self.namespaces.admits(attributes.namespace)
            and self.names.admits(attributes.name)
            and self.users.admits(attributes.user)
        )

    def selects(self, labels: Mapping[str, str]) -> bool:
        """True when the object's labels are the policy's."""
        return self.selector is None or self.selector.selects(labels)


def _any_glob(patterns: tuple[str, ...], name: str) -> bool:
    return any(pattern == "*" or glob_matches(pattern, name) for pattern in patterns)


def glob_matches(pattern: str, name: str) -> bool:
    """True when a pattern of ``*`` (any text) and ``?`` (one character) fits the whole name."""
    if "*" not in pattern and "?" not in pattern:
        return pattern == name
    at = star = 0  # where the pattern is read, and where the name goes on after the last "*"
    back = -1  # the last "*" in the pattern: what it covers may still grow
    position = 0
    while position < len(name):
        if at < len(pattern) and pattern[at] == "*":
            back, star, at = at, position, at + 1
        elif at < len(pattern) and pattern[at] in ("?", name[position]):
            at, position = at + 1, position + 1
        elif back >= 0:
            star += 1
            at, position = back + 1, star
        else:
            return False
    return pattern[at:].strip("*") == ""
