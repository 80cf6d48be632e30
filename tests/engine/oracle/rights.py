"""What enforced policies may do, and what managers forbid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from admission.engine.fieldpath import FieldPath
from admission.engine.policy import Policy, Trim
from admission.engine.steps import (
    Budget,
    CapConditions,
    CapList,
    CapMap,
    Dedupe,
    Drop,
    Expire,
    FitSchema,
    RestoreTimes,
    Truncate,
)
from admission.engine.steps.duplicates import Position
from tests.engine.build import Json
from tests.engine.oracle.demands import demands_at, limit_at
from tests.engine.oracle.managers import owns_leaf
from tests.engine.oracle.paths import Trail, along, values_at
from tests.engine.oracle.requirements import holds

PROTECTED = ("type", "status", "reason", "observedGeneration")


def named_conditions(trail: Trail) -> bool:
    """True for a list whose key, or whose map's key, ends in ``conditions``."""
    ends = [isinstance(key, str) and key.lower().endswith("conditions") for key in trail]
    return bool(trail) and (ends[-1] or (len(trail) > 1 and isinstance(trail[-1], str) and ends[-2]))


def acting(policy: Policy) -> Iterator[Trim]:
    """The steps that change something, whatever runs them."""
    for entry in policy.trim:
        yield from entry.step.steps if isinstance(entry.step, Budget) else (entry,)


@dataclass(frozen=True, slots=True)
class Rights:
    """What enforced policies may do, and what managers forbid."""

    policies: Sequence[Policy]
    entries: Sequence[Json]
    submitted: Json
    stored: Json = None
    openapi: Json = None

    def calls_conditions(self, policy: Policy, trail: Trail) -> bool:
        steps = [entry.step for entry in acting(policy)]
        declared = any(isinstance(step, CapConditions | RestoreTimes) and along(step.path, trail) for step in steps)
        return named_conditions(trail) or declared

    def shrinkers(self, trail: Trail) -> Iterator[tuple[Policy, CapConditions | CapList | Dedupe | Expire]]:
        for policy in self.policies:
            for entry in acting(policy):
                step = entry.step
                if isinstance(step, CapConditions | CapList | Dedupe | Expire) and along(step.path, trail):
                    yield policy, step

    def may_lose(self, trail: Trail, type_: str) -> bool:
        """True when all conditions of a type may leave a list."""
        for policy, step in self.shrinkers(trail):
            if not self.calls_conditions(policy, trail):
                return True
            keeps = step.keep_types if isinstance(step, CapConditions) and step.type_field == "type" else None
            if keeps is not None and type_ not in keeps:
                return True
        return any(not self.calls_conditions(policy, trail) for policy in self.fitters(trail))

    def fitters(self, trail: Trail) -> Iterator[Policy]:
        """The policies that cut the value at a trail to what the schema allows."""
        for policy in self.policies:
            steps = [entry.step for entry in acting(policy) if isinstance(entry.step, FitSchema)]
            named = any(not step.paths or any(along(path, trail) for path in step.paths) for step in steps)
            if named and not self.protects(policy, trail):
                yield policy

    def most(self, trail: Trail, word: str) -> int | None:
        """What the schema is certain to allow at most where some policy fits something to it."""
        return limit_at(self.openapi, trail, word) if any(self.fitters(trail)) else None

    def reorders(self, trail: Trail) -> bool:
        return any(isinstance(step, Dedupe) and step.position is Position.FIRST for _, step in self.shrinkers(trail))

    def protects(self, policy: Policy, trail: Trail) -> bool:
        in_condition = len(trail) > 1 and isinstance(trail[-2], int) and self.calls_conditions(policy, trail[:-2])
        return in_condition and trail[-1] in PROTECTED

    def may_drop(self, trail: Trail, value: Json) -> bool:
        """True when some policy drops a member, and no manager forbids it."""
        for policy in self.policies:
            if self.protects(policy, trail) or (isinstance(value, list) and self.calls_conditions(policy, trail)):
                continue
            steps = [entry.step for entry in acting(policy)]
            if any(isinstance(s, Drop) and any(along(path, trail) for path in s.paths) for s in steps):
                return not self.shared(trail)
        return False

    def may_evict(self, trail: Trail, entry: Json) -> bool:
        """True when some policy evicts an entry of a map, and no manager forbids it.

        Where a step works inside of the entry, nobody knows how its eviction found it.
        """
        for policy in self.policies:
            if self.protects(policy, trail) or (isinstance(entry, list) and self.calls_conditions(policy, trail)):
                continue
            for step in (each.step for each in acting(policy)):
                if not isinstance(step, CapMap) or not along(step.path, trail[:-1]):
                    continue
                if self.works_inside(trail) or all(holds(one, entry) for one in step.evict_where):
                    return not self.shared(trail[:-1])
        return False

    def works_inside(self, trail: Trail) -> bool:
        """True when a step changes the value at a trail, or something inside of it."""
        steps = [entry.step for policy in self.policies for entry in acting(policy)]
        paths = [path for step in steps for path in step.paths]
        return any(isinstance(step, FitSchema) and not step.paths for step in steps) or any(
            along(FieldPath(path.segments[: len(trail)]), trail) for path in paths
        )

    def may_put_back(self, before: Json, after: Json, trail: Trail, name: str) -> bool:
        """True when a member of an item became the text that is stored in an item with the same keys."""
        if not isinstance(after[name], str) or not isinstance(before[name], str) or self.shared((*trail, name)):
            return False
        for policy in self.policies:
            steps = [entry.step for entry in acting(policy) if isinstance(entry.step, RestoreTimes)]
            for step in [] if self.protects(policy, (*trail, name)) else steps:
                if name in step.fields and along(step.path, trail[:-1]) and trail and isinstance(trail[-1], int):
                    lists = [found for found in values_at(self.stored, step.path.segments) if isinstance(found, list)]
                    for item in (before, after):
                        if any(after[name] in stored_texts(found, item, step, name) for found in lists):
                            return True
        return False

    def cuts(self, trail: Trail) -> list[Truncate]:
        found = []
        for policy in self.policies:
            if self.protects(policy, trail):
                continue
            steps = [entry.step for entry in acting(policy)]
            found += [s for s in steps if isinstance(s, Truncate) and any(along(path, trail) for path in s.paths)]
        return found

    def shortest(self, trail: Trail) -> int | None:
        """The fewest code points that a text must keep; None when it must stay as it is."""
        parts = demands_at(self.openapi, trail)
        if any(part.get(word) for part in parts for word in ("pattern", "enum", "format")):
            return None
        return max((part.get("minLength", 0) for part in parts), default=0)

    def shared(self, trail: Trail) -> bool:
        """True when an applier and somebody else own the value at a trail (in the submitted object) as one leaf."""
        owners = [one for one in self.entries if owns_leaf(one.get("fieldsV1"), self.submitted, trail)]
        return len(owners) > 1 and any(one.get("operation") == "Apply" for one in owners)


def stored_texts(items: list[Json], item: Json, step: RestoreTimes, name: str) -> list[Json]:
    """The texts at ``name`` of the one stored item that has the keys of an item."""

    def keys_of(one: Json) -> list[Json]:
        return [next(values_at(one, key.segments), None) for key in step.keys]

    wanted = keys_of(item)
    found = [one for one in items if isinstance(one, dict) and None not in wanted and keys_of(one) == wanted]
    return [found[0].get(name)] if len(found) == 1 else []
