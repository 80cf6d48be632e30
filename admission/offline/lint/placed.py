"""A step where it stands, and where two policies meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from admission.engine.policy import Policy
from admission.engine.steps import Step
from admission.errors import PolicyError, Problem
from admission.policyfile.files import read_bytes
from admission.policyfile.lines import Lines
from admission.policyfile.yamlfile import load_documents

S_co = TypeVar("S_co", bound=Step, covariant=True)


@dataclass(frozen=True, slots=True)
class Placed(Generic[S_co]):
    """A step of a policy, and its position in ``trim``."""

    policy: Policy
    position: int
    step: S_co

    @property
    def place(self) -> tuple[str | int, ...]:
        """The way to the step in its document."""
        return ("spec", "trim", self.position, self.step.kind)

    @property
    def turn(self) -> tuple[int, str, int]:
        """When the step runs: policies by priority and name, then the position."""
        return self.policy.priority, self.policy.name, self.position

    def says(self, message: str) -> Problem:
        """A finding at the step."""
        file, _, line = self.policy.source.rpartition(":")
        path = f"spec.trim[{self.position}].{self.step.kind}"
        return Problem(file, _lines(self.policy, file, int(line or 0)).at(self.place), path, message)


def meeting(one: Policy, other: Policy) -> str | None:
    """A resource that both policies look at, in some version."""
    for mine in one.match.resources:
        for theirs in other.match.resources:
            versions = "*" in mine.versions + theirs.versions or set(mine.versions) & set(theirs.versions)
            groups = sorted(set(mine.groups) & set(theirs.groups))
            resources = sorted(_common(mine.resources, theirs.resources))
            if versions and groups and resources:
                return f"{groups[0]}/{resources[0]}"
    return None


def _common(mine: Sequence[str], theirs: Sequence[str]) -> set[str]:
    return {
        each if other.startswith("*/") else other
        for each in mine
        for other in theirs
        if each == other or _covers(each, other) or _covers(other, each)
    }


def _covers(wide: str, narrow: str) -> bool:
    return wide.startswith("*/") and narrow.endswith(wide[1:])


def _lines(policy: Policy, file: str, line: int) -> Lines:
    """The lines of a policy's document; only its first line where the file cannot be read a second time (stdin)."""
    try:
        documents = load_documents(read_bytes(Path(file)), file)
    except PolicyError:
        return Lines(line)
    return next((each.lines for each in documents if _name(each.data) == policy.name), Lines(line))


def _name(data: object) -> object:
    metadata = data.get("metadata") if isinstance(data, dict) else None
    return metadata.get("name") if isinstance(metadata, dict) else None
