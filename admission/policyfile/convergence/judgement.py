"""Policies judged on samples: each alone, and each pair that shares a resource and a part of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Final

from admission.engine.evaluate import evaluate as evaluate_by_engine
from admission.engine.fieldpath import FieldPath, Member
from admission.engine.policy import Mode, Policy, PolicySet
from admission.engine.schema import Schemas
from admission.policyfile.convergence.place import known_place
from admission.policyfile.convergence.sample import Sample, deeds, samples
from admission.policyfile.convergence.shrinking import smallest
from admission.policyfile.convergence.trial import Evaluate, Fault, Trial
from admission.policyfile.meetings import Meetings, Where
from admission.policyfile.overlap import may_meet


@dataclass(frozen=True, slots=True)
class Effort:
    """How many samples a policy and a pair get, and how many policies and pairs are judged at most."""

    alone: int
    together: int
    policies: int
    pairs: int


THOROUGH: Final = Effort(alone=60, together=40, policies=2_000, pairs=2_000)
"""For somebody who waits for a check. A sample takes some milliseconds."""

QUICK: Final = Effort(alone=16, together=12, policies=1_000, pairs=800)
"""For a server, beside its work: half a minute or so of one core, however many policies there are."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Policies (one, or two of which the second runs later) that do not settle, and the smallest sample found."""

    policies: tuple[Policy, ...]
    fault: Fault
    sample: Sample

    @property
    def message(self) -> str:
        """What is wrong, in a line."""
        one, *others = self.policies
        who = f"together with policy {one.name} ({one.source}) " if others else ""
        return f"does not converge {who}on a sample: {self.fault.message}"


@dataclass(slots=True)
class Judgement:
    """What came of it: how many policies and pairs were judged, and how many for want of time were not."""

    disagreements: list[Disagreement] = field(default_factory=list)
    policies: int = 0
    pairs: int = 0
    policies_left: int = 0
    pairs_left: int = 0

    @property
    def nonconverging(self) -> frozenset[str]:
        """The names of the policies that do not settle, alone or with another one."""
        return frozenset(policy.name for each in self.disagreements for policy in each.policies)


def judge(policies: PolicySet, effort: Effort = THOROUGH, evaluate: Evaluate = evaluate_by_engine) -> Judgement:
    """Judge all policies but those in Off. ``evaluate`` is the engine; tests pass one that is wrong."""
    court = _Court(policies.schemas, effort, evaluate)
    active = [policy for policy in policies.policies if policy.mode is not Mode.OFF and _does_something(policy)]
    for policy in active:
        court.hear_one(policy)
    settled = [policy for policy in active if policy.name not in court.judgement.nonconverging]
    for one, other, where in _pairs(settled):
        court.hear_two(one, other, where)
    return court.judgement


class _Court:
    """Hears policies and pairs, those that do the same only once."""

    def __init__(self, schemas: Schemas, effort: Effort, evaluate: Evaluate) -> None:
        self.judgement = Judgement()
        self._schemas = schemas
        self._effort = effort
        self._evaluate = evaluate
        self._alone: dict[object, Sample | None] = {}
        self._together: dict[object, Sample | None] = {}

    def hear_one(self, policy: Policy) -> None:
        """Judge a policy by itself."""
        where, effort = Where.first_of(policy), self._effort
        if self._hear(self._alone, (policy,), where, effort.alone, effort.policies):
            self.judgement.policies += 1
        else:
            self.judgement.policies_left += 1

    def hear_two(self, one: Policy, other: Policy, where: Where) -> None:
        """Judge two policies that meet; the first runs earlier."""
        if self._hear(self._together, (one, other), where, self._effort.together, self._effort.pairs):
            self.judgement.pairs += 1
        else:
            self.judgement.pairs_left += 1

    def _hear(
        self, heard: dict[object, Sample | None], policies: tuple[Policy, ...], where: Where, count: int, most: int
    ) -> bool:
        """False when that would be one case too many."""
        where = known_place(where, policies, self._schemas)
        case = self._case(where, *policies)
        if case not in heard and len(heard) >= most:
            return False
        trial = Trial(policies, self._schemas, self._evaluate)
        if case not in heard:
            schema = self._schemas.at(where.group, where.version, where.resource)
            heard[case] = _failing(trial, samples(policies, where, count, schema))
        failing = heard[case]
        if failing is not None:
            self._note(trial, policies, failing.at(where))
        return True

    def _note(self, trial: Trial, policies: tuple[Policy, ...], sample: Sample) -> None:
        fault = trial.fault(sample)  # again: it names these policies
        if fault is not None:
            self.judgement.disagreements.append(Disagreement(policies, fault, sample))

    def _case(self, where: Where, *policies: Policy) -> object:
        """The same for policies that do the same with objects of the same form."""
        of_a_schema = (where.group, where.version, where.resource) if self._schemas.by_resource else None
        return of_a_schema, bool(where.subresource), tuple(map(deeds, policies))


def _failing(trial: Trial, drawn: Iterable[Sample]) -> Sample | None:
    """The first sample with which something is wrong, made as small as it goes."""
    for sample in drawn:
        fault = trial.fault(sample)
        if fault is not None:
            return smallest(sample, _same_fault(trial, fault))
    return None


def _same_fault(trial: Trial, fault: Fault) -> Callable[[Sample], bool]:
    def fails(candidate: Sample) -> bool:
        found = trial.fault(candidate)
        return found is not None and found.kind == fault.kind

    return fails


def _does_something(policy: Policy) -> bool:
    return bool(policy.trim or policy.suppress)


def _pairs(policies: Sequence[Policy]) -> Iterator[tuple[Policy, Policy, Where]]:
    """The policies that meet, in the order in which they run, and touch something in common."""
    meetings, turns = Meetings(policies), {policy.name: turn for turn, policy in enumerate(policies)}
    touching = _Touching(policies)
    for policy in policies:
        for other, where in meetings.of(policy):
            if turns[policy.name] < turns[other.name] and touching(policy, other):
                yield policy, other, where


class _Touching:
    """Tells whether two policies touch something in common; those with equal paths are compared once."""

    def __init__(self, policies: Sequence[Policy]) -> None:
        paths: dict[tuple[FieldPath, ...], int] = {}
        self._kind = {policy.name: paths.setdefault(tuple(_paths(policy)), len(paths)) for policy in policies}
        self._paths = list(paths)
        self._known: dict[tuple[int, int], bool] = {}

    def __call__(self, one: Policy, other: Policy) -> bool:
        kinds = self._kind[one.name], self._kind[other.name]
        if kinds not in self._known:
            self._known[kinds] = _touch(self._paths[kinds[0]], self._paths[kinds[1]])
        return self._known[kinds]


def _paths(policy: Policy) -> Iterator[FieldPath]:
    yield from (requirement.field for requirement in policy.match.when)
    for entry in (*policy.trim, *policy.acting):
        yield from (requirement.field for requirement in entry.when)
        yield from entry.step.paths or (FieldPath((Member(policy.root),)),)
    for rule in policy.suppress:
        yield from rule.fields


def _touch(one: Sequence[FieldPath], other: Sequence[FieldPath]) -> bool:
    """True when something that one works on may be, or hold, or be part of something that the other works on."""
    return any(_overlap(left, right) for left, right in product(one, other))


def _overlap(one: FieldPath, other: FieldPath) -> bool:
    shared = min(len(one.segments), len(other.segments))
    return may_meet(FieldPath(one.segments[:shared]), FieldPath(other.segments[:shared]))
