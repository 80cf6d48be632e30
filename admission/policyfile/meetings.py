"""Which policies look at the same writes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from admission.engine.match import ResourceRule
from admission.engine.policy import Mode, Policy

_Looking: TypeAlias = tuple[Policy, ResourceRule]
_EVERY: Final = "*/"


class Meetings:
    """Policies by the resources that they look at: a thousand must not be compared in pairs. Those in Off meet none."""

    def __init__(self, policies: Iterable[Policy]) -> None:
        self._index: defaultdict[str, defaultdict[str, list[_Looking]]] = defaultdict(lambda: defaultdict(list))
        for policy in policies:
            for rule in () if policy.mode is Mode.OFF else policy.match.resources:
                for group in rule.groups:
                    for resource in rule.resources:
                        self._index[group][resource].append((policy, rule))

    def of(self, policy: Policy) -> Iterator[tuple[Policy, str]]:
        """The other policies that it meets, each once, and where: ``group/resource``, in some version."""
        met = {policy.name}
        for rule in () if policy.mode is Mode.OFF else policy.match.resources:
            for group in rule.groups:
                for resource in rule.resources:
                    for found, (other, theirs) in self._looking_at(group, resource):
                        if other.name not in met and _one_version(rule, theirs):
                            met.add(other.name)
                            yield other, f"{group}/{found}"

    def _looking_at(self, group: str, resource: str) -> Iterator[tuple[str, _Looking]]:
        """Who looks at a resource or, for ``*/status``, at any that it stands for; and at which one."""
        of_group: Mapping[str, list[_Looking]] = self._index.get(group, {})
        if resource.startswith(_EVERY):
            for theirs in (each for each in of_group if each.endswith(resource.removeprefix("*"))):
                yield from ((theirs, looking) for looking in of_group[theirs])
            return
        _, slash, subresource = resource.partition("/")
        for theirs in (resource, f"{_EVERY}{subresource}") if slash else (resource,):
            yield from ((resource, looking) for looking in of_group.get(theirs, ()))


def _one_version(one: ResourceRule, other: ResourceRule) -> bool:
    return "*" in one.versions + other.versions or not set(one.versions).isdisjoint(other.versions)
