"""Where something stands in the file of a policy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from admission.engine.policy import Policy
from admission.engine.steps import Budget, Step
from admission.errors import Problem
from admission.policyfile.lines import Lines, Loc
from admission.policyfile.wording import dotted

S = TypeVar("S", bound=Step)
S_co = TypeVar("S_co", bound=Step, covariant=True)


@dataclass(frozen=True, slots=True)
class Read:
    """A policy, and where everything of it stands in its file."""

    policy: Policy
    lines: Lines

    def says(self, loc: Loc, message: str) -> Problem:
        """A note at a place in the document."""
        file, _, _ = self.policy.source.rpartition(":")
        return Problem(file, self.lines.at(loc), dotted(loc), message)


@dataclass(frozen=True, slots=True)
class Placed(Generic[S_co]):
    """A step of a policy, and its position in ``trim``; in a budget, that of the budget and its own ``inside``."""

    read: Read
    position: int
    step: S_co
    inside: int | None = None

    @property
    def policy(self) -> Policy:
        """The policy whose step it is."""
        return self.read.policy

    @property
    def turn(self) -> tuple[int, str, int, int]:
        """When the step runs: policies by priority and name, then the position."""
        return self.policy.priority, self.policy.name, self.position, self.inside or 0

    @property
    def conditional(self) -> bool:
        """True when it does not run each time."""
        return self.inside is not None or bool(self.policy.trim[self.position].when)

    def says(self, message: str) -> Problem:
        """A note at the step."""
        inside: Loc = () if self.inside is None else (Budget.kind, "steps", self.inside)
        return self.read.says(("spec", "trim", self.position, *inside, self.step.kind), message)


def placed(policies: Sequence[Read], kind: type[S]) -> Iterator[Placed[S]]:
    """Every step of a kind, in the order of the policies."""
    for read in policies:
        for position, entry in enumerate(read.policy.trim):
            if isinstance(entry.step, kind):
                yield Placed(read, position, entry.step)
            for inside, inner in enumerate(entry.inner):
                if isinstance(inner.step, kind):
                    yield Placed(read, position, inner.step, inside)
