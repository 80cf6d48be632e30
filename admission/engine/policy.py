"""Policies as the engine sees them: parsed, checked, frozen."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Final

from admission.engine.attributes import STATUS, Attributes
from admission.engine.licence import Licence
from admission.engine.requirement import Requirement

if TYPE_CHECKING:
    from admission.engine.steps import Step


class Mode(StrEnum):
    """What becomes of a policy's verdict."""

    ENFORCE = "Enforce"
    WARN = "Warn"
    DRY_RUN = "DryRun"
    OFF = "Off"


@dataclass(frozen=True, slots=True)
class ResourceRule:
    """Resources in the form of a webhook rule: ``jobs/status``, ``applications``, ``*/status``."""

    groups: tuple[str, ...]
    resources: tuple[str, ...]
    versions: tuple[str, ...] = ("*",)

    def covers_version(self, version: str) -> bool:
        """True when the rule names the version, or all."""
        return "*" in self.versions or version in self.versions


_EVERYTHING: Final = ("*",)


@dataclass(frozen=True, slots=True)
class Globs:
    """Names by patterns of ``*`` and ``?``; what is excluded is out, whatever includes it."""

    include: tuple[str, ...] = ("*",)
    exclude: tuple[str, ...] = ()

    def admits(self, name: str) -> bool:
        """True when some pattern includes the name and none excludes it."""
        if self.include == _EVERYTHING and not self.exclude:
            return True
        return _any_glob(self.include, name) and not _any_glob(self.exclude, name)


@dataclass(frozen=True, slots=True)
class Match:
    """Which writes a policy looks at. Every criterion is met when it is absent."""

    resources: tuple[ResourceRule, ...]
    namespaces: Globs = Globs()
    when: tuple[Requirement, ...] = ()


@dataclass(frozen=True, slots=True)
class Trim:
    """One entry of ``trim``: a step and the requirements under which it runs."""

    step: Step
    when: tuple[Requirement, ...] = ()
    paths: str = field(init=False, compare=False, repr=False)
    """The step's paths, for reports."""

    def __post_init__(self) -> None:
        """Write the paths once; every report has them."""
        object.__setattr__(self, "paths", ", ".join(map(str, self.step.paths)))


@dataclass(frozen=True, slots=True)
class Policy:
    """One StatusPolicy document. ``root`` is the member of the object that it trims, ``source`` its ``file:line``."""

    name: str
    match: Match
    trim: tuple[Trim, ...] = ()
    mode: Mode = Mode.DRY_RUN
    priority: int = 0
    root: str = STATUS
    description: str = ""
    source: str = field(default="", compare=False, repr=False)
    licence: Licence = field(init=False, compare=False, repr=False)
    """What the steps may change."""

    def __post_init__(self) -> None:
        """Derive the licence once; it is asked for with every review."""
        object.__setattr__(self, "licence", Licence.union(entry.step.licence for entry in self.trim))


@dataclass(frozen=True)
class PolicySet:
    """All loaded policies, in the order in which they apply, indexed by group and resource."""

    policies: tuple[Policy, ...]

    @classmethod
    def of(cls, policies: Iterable[Policy]) -> PolicySet:
        """Order policies by (priority, name), however their files were ordered."""
        return cls(tuple(sorted(policies, key=lambda policy: (policy.priority, policy.name))))

    @cached_property
    def digest(self) -> str:
        """A short stable name for exactly these policies."""
        return hashlib.sha256(repr(self.policies).encode("utf-8", "backslashreplace")).hexdigest()[:12]

    @cached_property
    def _by_endpoint(self) -> dict[tuple[str, str], tuple[tuple[Policy, ResourceRule], ...]]:
        index: defaultdict[tuple[str, str], list[tuple[Policy, ResourceRule]]] = defaultdict(list)
        for policy in self.policies:
            if policy.mode is Mode.OFF:
                continue
            for rule in policy.match.resources:
                for group in rule.groups:
                    for resource in rule.resources:
                        index[group, resource].append((policy, rule))
        return {endpoint: tuple(found) for endpoint, found in index.items()}

    @cached_property
    def _groups_with_wildcards(self) -> frozenset[str]:
        return frozenset(group for group, resource in self._by_endpoint if resource.startswith("*"))

    def matching(self, attributes: Attributes) -> tuple[Policy, ...]:
        """The policies for this request, in order, by everything that does not need the object."""
        index, group = self._by_endpoint, attributes.group
        found = index.get((group, attributes.endpoint), ())
        if attributes.subresource and group in self._groups_with_wildcards:
            found += index.get((group, f"*/{attributes.subresource}"), ())
        if not found:
            return ()
        chosen = {
            id(policy): policy
            for policy, rule in found
            if rule.covers_version(attributes.version) and policy.match.namespaces.admits(attributes.namespace)
        }
        if len(chosen) < 2:
            return tuple(chosen.values())
        return tuple(sorted(chosen.values(), key=lambda policy: (policy.priority, policy.name)))


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
