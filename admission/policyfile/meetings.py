"""Which policies look at the same writes, and where."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from admission.engine.match import Globs, Match, ResourceRule
from admission.engine.policy import Mode, Policy

_Looking: TypeAlias = tuple[Policy, ResourceRule, bool]
"""A policy, the rule by which it looks, and whether it lists names that another may lack."""
_ANY: Final = "*"
_EVERY: Final = "*/"
_SOME_VERSION: Final = "v1"
_SOME_RESOURCE: Final = "samples"


@dataclass(frozen=True, slots=True)
class Where:
    """A resource that policies look at, as a rule names it (``jobs/status``, ``*/status``), in some version."""

    group: str
    endpoint: str
    version: str = _SOME_VERSION

    @classmethod
    def first_of(cls, policy: Policy) -> Where:
        """The first resource of a policy."""
        rule = policy.match.resources[0]
        return cls(rule.groups[0], rule.resources[0], _version(rule.versions))

    @property
    def resource(self) -> str:
        """The plural."""
        name = self.endpoint.partition("/")[0]
        return _SOME_RESOURCE if name == _ANY else name

    @property
    def subresource(self) -> str:
        """``status``, or empty."""
        return self.endpoint.partition("/")[2]

    def __str__(self) -> str:
        return f"{self.group}/{self.endpoint}"


class Meetings:
    """Policies by the resources that they look at: a thousand must not be compared in pairs. Those in Off meet none."""

    def __init__(self, policies: Iterable[Policy]) -> None:
        self._index: defaultdict[str, defaultdict[str, list[_Looking]]] = defaultdict(lambda: defaultdict(list))
        for policy in policies:
            listing = _lists(policy.match)
            for rule in () if policy.mode is Mode.OFF else policy.match.resources:
                for group in rule.groups:
                    for resource in rule.resources:
                        self._index[group][resource].append((policy, rule, listing))

    def of(self, policy: Policy) -> Iterator[tuple[Policy, Where]]:
        """The other policies that it meets, each once, and where."""
        met, listing = {policy.name}, _lists(policy.match)
        for rule in () if policy.mode is Mode.OFF else policy.match.resources:
            for group in rule.groups:
                for resource in rule.resources:
                    for found, (other, theirs, lists) in self._looking_at(group, resource):
                        version = None if other.name in met else _common_version(rule, theirs)
                        if version is None:
                            continue
                        if not (listing or lists) or not _apart(policy.match, other.match):
                            met.add(other.name)
                            yield other, Where(group, found, version)

    def _looking_at(self, group: str, resource: str) -> Iterator[tuple[str, _Looking]]:
        """Who looks at a resource or, for ``*/status``, at any that it stands for; and at which one."""
        of_group: Mapping[str, list[_Looking]] = self._index.get(group, {})
        if resource.startswith(_EVERY):
            for theirs in (each for each in of_group if each.endswith(resource.removeprefix(_ANY))):
                yield from ((theirs, looking) for looking in of_group[theirs])
            return
        _, slash, subresource = resource.partition("/")
        for theirs in (resource, f"{_EVERY}{subresource}") if slash else (resource,):
            yield from ((resource, looking) for looking in of_group.get(theirs, ()))


def _common_version(one: ResourceRule, other: ResourceRule) -> str | None:
    if _ANY in one.versions:
        return _version(other.versions)
    shared = one.versions if _ANY in other.versions else [each for each in one.versions if each in other.versions]
    return shared[0] if shared else None


def _version(versions: tuple[str, ...]) -> str:
    return _SOME_VERSION if _ANY in versions else versions[0]


def _lists(match: Match) -> bool:
    """True when it lists names, so that another policy may have none of them."""
    return any(map(_is_list, (match.namespaces, match.names, match.users)))


def _apart(one: Match, other: Match) -> bool:
    """True when no object, and no writer, is of both: the names that they list have none in common."""
    pairs = ((one.namespaces, other.namespaces), (one.names, other.names), (one.users, other.users))
    return any(_disjoint(left, right) or _disjoint(right, left) for left, right in pairs)


def _disjoint(one: Globs, other: Globs) -> bool:
    return _is_list(one) and not any(one.admits(name) and other.admits(name) for name in one.include)


def _is_list(globs: Globs) -> bool:
    return not any(mark in pattern for pattern in globs.include for mark in "*?")
