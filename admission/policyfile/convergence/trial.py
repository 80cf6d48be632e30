"""A sample put through policies, again and again: what is wrong with what becomes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import jsonpatch
import msgspec

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision, Op
from admission.engine.evaluate import evaluate as evaluate_by_engine
from admission.engine.match import Match
from admission.engine.policy import Mode, Policy, PolicySet, Trim
from admission.engine.rollout import EVERYBODY
from admission.engine.schema import UNKNOWN, Schemas
from admission.engine.steps import Budget
from admission.policyfile.convergence.dice import Json
from admission.policyfile.convergence.instants import NOW
from admission.policyfile.convergence.sample import Sample

Evaluate: TypeAlias = Callable[[PolicySet, Attributes, int], Decision]


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong. ``kind`` is the same for samples with which the same is wrong."""

    kind: str
    message: str


class Trial:
    """Some policies that look at one resource, all of them enforced, whichever objects they are for."""

    def __init__(
        self, policies: Sequence[Policy], schemas: Schemas = UNKNOWN, evaluate: Evaluate = evaluate_by_engine
    ) -> None:
        """``evaluate`` is the engine; tests pass one that is wrong."""
        enforced = [enforce(policy) for policy in policies]
        self._all = PolicySet.of(enforced, schemas)
        trimming = [replace(policy, suppress=()) for policy in enforced if policy.trim]
        self._each = [PolicySet.of([policy], schemas) for policy in trimming] if len(enforced) > 1 else []
        self._evaluate = evaluate

    def fault(self, sample: Sample) -> Fault | None:
        """The first thing that is wrong with a sample."""
        return next(self._faults(sample), None)

    def _faults(self, sample: Sample) -> Iterator[Fault]:
        first = self._put(sample)
        for violation in first.decision.violations:
            who = f"{violation.step} of policy {violation.policy}" if violation.step else f"policy {violation.policy}"
            told = f"{who}: {violation.detail} ({violation.invariant})"
            yield Fault(f"{violation.invariant} {violation.policy}", told)
        yield from self._unsettled(sample, first.result)
        yield from self._undone(sample, first.result)

    def _unsettled(self, sample: Sample, result: dict[str, Json]) -> Iterator[Fault]:
        """The result as a write: over what was stored, over itself; and the write over its result, twice."""
        if result is not sample.submitted and self._changes(self._all, replace(sample, submitted=result)):
            yield Fault(_AGAIN, _AGAIN)
        if self._changes(self._all, replace(sample, submitted=result, stored=result)):
            yield Fault(_STORED, _STORED)
        second = self._put(replace(sample, stored=result)).result
        third = second if second == result else self._put(replace(sample, stored=second)).result
        if second != third:
            yield Fault(_PING_PONG, _PING_PONG)

    def _undone(self, sample: Sample, result: dict[str, Json]) -> Iterator[Fault]:
        """What one of several policies trims of what all of them have left.

        Alone one may well hold such a write back: over what is stored and not trimmed all of them together would not.
        """
        for policies in self._each:
            for stored in (sample.stored, result):
                if self._changes(policies, replace(sample, submitted=result, stored=stored)):
                    (policy,) = policies.policies
                    told = f"policy {policy.name} alone changes again what both have left"
                    yield Fault(f"undone {policy.name}", told)

    def _changes(self, policies: PolicySet, sample: Sample) -> bool:
        return bool(_of_values(self._evaluate(policies, sample.attributes(), NOW)))

    def _put(self, sample: Sample) -> _Put:
        decision = self._evaluate(self._all, sample.attributes(), NOW)
        return _Put(decision, _patched(sample.submitted, decision))


_MANAGERS: Final = "/metadata/managedFields"
_AGAIN: Final = "the result is changed again when it is sent instead"
_STORED: Final = "the result is changed again once it is stored and sent back"
_PING_PONG: Final = "sent a second and a third time over what is stored, the same write ends differently each time"


@dataclass(frozen=True, slots=True)
class _Put:
    decision: Decision
    result: dict[str, Json]


def enforce(policy: Policy) -> Policy:
    """The policy as it is when it is enforced for every object of its resources.

    No sample is as large as what budgets are for, so every budget is exceeded, and all its steps run.
    """
    everywhere = Match(policy.match.resources, when=policy.match.when)
    trim = tuple(map(_exceeded, policy.trim))
    return replace(policy, mode=Mode.ENFORCE, rollout=EVERYBODY, match=everywhere, trim=trim, limits=())


def _exceeded(entry: Trim) -> Trim:
    return replace(entry, step=replace(entry.step, max_bytes=1)) if isinstance(entry.step, Budget) else entry


def _patched(submitted: dict[str, Json], decision: Decision) -> dict[str, Json]:
    operations = [
        {"op": op.op, "path": op.path} | ({} if op.value is None else {"value": msgspec.json.decode(op.value)})
        for op in _of_values(decision)
    ]
    if not operations:
        return submitted
    result: dict[str, Json] = jsonpatch.apply_patch(submitted, operations)
    return result


def _of_values(decision: Decision) -> list[Op]:
    """What a decision changes, but who owns it: a sample's managers are made anew from what it holds."""
    return [op for op in decision.patch if not op.path.startswith(_MANAGERS)]
