"""Policies as the engine sees them: parsed, checked, frozen."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Final

from admission.engine.attributes import STATUS, Attributes
from admission.engine.labels import labels_of
from admission.engine.licence import Licence
from admission.engine.limits import Bounds, Limit, bounds_of
from admission.engine.match import Match, ResourceRule
from admission.engine.requirement import Requirement
from admission.engine.rollout import EVERYBODY, NOBODY, share_of
from admission.engine.schema import UNKNOWN, Schemas
from admission.engine.steps.budget import Budget
from admission.engine.suppress import SuppressRule

if TYPE_CHECKING:
    from admission.engine.steps import Step

ALL: Final = "(all)"
"""In reports, the paths of a step that names none."""


class Mode(StrEnum):
    """What becomes of a policy's verdict."""

    ENFORCE = "Enforce"
    WARN = "Warn"
    DRY_RUN = "DryRun"
    OFF = "Off"


@dataclass(frozen=True, slots=True)
class Trim:
    """One entry of ``trim``: a step and the requirements under which it runs."""

    step: Step
    when: tuple[Requirement, ...] = ()
    paths: str = field(init=False, compare=False, repr=False)
    """The step's paths, for reports."""

    def __post_init__(self) -> None:
        """Write the paths once; every report has them."""
        object.__setattr__(self, "paths", ", ".join(map(str, self.step.paths)) or ALL)

    @property
    def inner(self) -> tuple[Trim, ...]:
        """The entries that the step runs itself."""
        return self.step.steps if isinstance(self.step, Budget) else ()


@dataclass(frozen=True, slots=True)
class Policy:
    """One StatusPolicy document. ``root`` is the member of the object that it trims, ``source`` its ``file:line``.

    ``rollout`` is the percentage of objects for which its mode holds; for the others it only observes.
    """

    name: str
    match: Match
    trim: tuple[Trim, ...] = ()
    mode: Mode = Mode.DRY_RUN
    priority: int = 0
    root: str = STATUS
    limits: tuple[Limit, ...] = ()
    suppress: tuple[SuppressRule, ...] = ()
    rollout: int = EVERYBODY
    description: str = ""
    source: str = field(default="", compare=False, repr=False)
    licence: Licence = field(init=False, compare=False, repr=False)
    """What the steps may change."""
    bounds: tuple[Bounds, ...] = field(init=False, compare=False, repr=False)
    """The limits by the thing that they measure."""
    outside: Policy | None = field(init=False, compare=False, repr=False)
    """The policy for objects that its rollout does not reach: it only observes; None when it reaches all."""

    @property
    def acting(self) -> tuple[Trim, ...]:
        """The entries that change something themselves: in place of a budget those that it runs."""
        return tuple(each for entry in self.trim for each in (entry.inner or (entry,)))

    @property
    def rejects(self) -> bool:
        """True when a limit can reject a write."""
        return any(bounds.reject is not None for bounds in self.bounds)

    def __post_init__(self) -> None:
        """Derive licence and bounds once; they are asked for with every review."""
        object.__setattr__(self, "bounds", bounds_of(self.limits))
        object.__setattr__(self, "licence", Licence.union(entry.step.licence for entry in self.trim))
        partly = self.rollout < EVERYBODY and self.mode in (Mode.ENFORCE, Mode.WARN)
        object.__setattr__(self, "outside", replace(self, mode=Mode.DRY_RUN, rollout=NOBODY) if partly else None)

    @property
    def is_left_out(self) -> bool:
        """True when it only observes because its rollout does not reach the object."""
        return self.rollout == NOBODY and self.mode is Mode.DRY_RUN

    def for_share(self, share: int | None) -> Policy:
        """The policy as it is for an object with this share of a rollout (None: one without a name yet)."""
        if self.outside is None or (share is not None and share < self.rollout):
            return self
        return self.outside


@dataclass(frozen=True)
class PolicySet:
    """All loaded policies, in the order in which they apply, indexed by group and resource."""

    policies: tuple[Policy, ...]
    schemas: Schemas = UNKNOWN
    """What is known of the kinds that they are for."""

    @classmethod
    def of(cls, policies: Iterable[Policy], schemas: Schemas = UNKNOWN) -> PolicySet:
        """Order policies by (priority, name), however their files were ordered."""
        return cls(tuple(sorted(policies, key=lambda policy: (policy.priority, policy.name))), schemas)

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

    @cached_property
    def rejecting(self) -> PolicySet:
        """The enforced policies whose limits can reject a write: those for which there is a validating phase."""
        chosen = (policy for policy in self.policies if policy.mode is Mode.ENFORCE and policy.rejects)
        return replace(self, policies=tuple(chosen))

    @cached_property
    def limiting(self) -> PolicySet:
        """The policies that have limits, without their steps and rules."""
        return replace(
            self, policies=tuple(replace(policy, trim=(), suppress=()) for policy in self.policies if policy.limits)
        )

    def knowing(self, schemas: Schemas) -> PolicySet:
        """The same policies with other schemas; what was derived from the policies alone is not derived again."""
        if schemas is self.schemas:
            return self
        known = replace(self, schemas=schemas)
        known.__dict__.update((name, value) for name, value in self.__dict__.items() if name in _OF_POLICIES)
        return known

    def in_mode(self, mode: Mode | None) -> PolicySet:
        """The same policies with ``mode`` in place of their own, but for those that are ``Off``; None: as they are."""
        if mode is None:
            return self
        moded = (policy if policy.mode is Mode.OFF else replace(policy, mode=mode) for policy in self.policies)
        return replace(self, policies=tuple(moded))

    def without(self, names: Collection[str]) -> PolicySet:
        """All policies but those of these names."""
        if not names:
            return self
        return replace(self, policies=tuple(policy for policy in self.policies if policy.name not in names))

    @cached_property
    def by_name(self) -> Mapping[str, Policy]:
        """Every policy by its name."""
        return {policy.name: policy for policy in self.policies}

    def matching(self, attributes: Attributes) -> tuple[Policy, ...]:
        """The policies for this request, in order: all criteria are met but ``when``, which reads the working copy.

        Raises:
            DocumentError: labels are asked for and cannot be read.
        """
        index, group = self._by_endpoint, attributes.group
        found = index.get((group, attributes.endpoint), ())
        if attributes.subresource and group in self._groups_with_wildcards:
            found += index.get((group, f"*/{attributes.subresource}"), ())
        if not found:
            return ()
        chosen = {
            id(policy): policy
            for policy, rule in found
            if rule.covers_version(attributes.version) and policy.match.admits(attributes)
        }
        if any(policy.match.selector is not None for policy in chosen.values()):
            labels = labels_of(attributes)
            chosen = {key: policy for key, policy in chosen.items() if policy.match.selects(labels)}
        if any(policy.outside is not None for policy in chosen.values()):
            share = share_of(attributes)
            chosen = {key: policy.for_share(share) for key, policy in chosen.items()}
        if len(chosen) < 2:
            return tuple(chosen.values())
        return tuple(sorted(chosen.values(), key=lambda policy: (policy.priority, policy.name)))


_OF_POLICIES: Final = frozenset({"digest", "by_name", "_by_endpoint", "_groups_with_wildcards"})
"""What :class:`PolicySet` derives from its policies alone; for thousands of them that takes a while."""
