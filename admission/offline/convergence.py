"""Policies that do not converge, for who reads files: where they stand, and a sample in YAML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from admission.engine.policy import Policy, PolicySet
from admission.errors import Problem
from admission.offline.yamltext import to_yaml
from admission.policyfile.convergence import THOROUGH, Effort, judge


@dataclass(frozen=True, slots=True)
class Unsettled:
    """A policy that does not converge, alone or with another one; ``sample`` is YAML as in a case of a suite."""

    problem: Problem
    sample: str


@dataclass(frozen=True, slots=True)
class Convergence:
    """What does not converge, and what was not judged, in a sentence (empty: everything was)."""

    unsettled: tuple[Unsettled, ...] = ()
    not_judged: str = ""


CONVERGENT: Final = Convergence()
"""Everything converges."""


def convergence_of(policies: PolicySet, effort: Effort = THOROUGH) -> Convergence:
    """Judge policies on generated samples."""
    judgement = judge(policies, effort)
    unsettled = tuple(
        Unsettled(_problem(each.policies[-1], each.message), to_yaml(each.sample.told()))
        for each in judgement.disagreements
    )
    return Convergence(unsettled, _not_judged(judgement.policies_left, judgement.pairs_left))


def _problem(policy: Policy, message: str) -> Problem:
    file, _, line = policy.source.rpartition(":")
    return Problem(file, int(line or 0), "spec", message)


def _not_judged(policies: int, pairs: int) -> str:
    if not policies and not pairs:
        return ""
    return f"too many to judge all: whether {policies} policies and {pairs} pairs of them converge is not known"
