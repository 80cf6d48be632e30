"""What is allowed in policies and yet hardly meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Final

from admission.engine.fieldpath import Member
from admission.engine.policy import Mode, Policy
from admission.engine.steps import CapConditions, CapList
from admission.errors import PolicyError, Problem
from admission.policyfile.yamlfile import Lines, load_documents, read_bytes

_CONDITIONS: Final = "conditions"
_CAPS: Final = (CapList, CapConditions)


@dataclass(frozen=True, slots=True)
class _Cap:
    """A step that limits the length of a list, and where it stands."""

    policy: Policy
    position: int
    step: CapList | CapConditions

    @property
    def place(self) -> tuple[str | int, ...]:
        """The way to the step in its document."""
        return ("spec", "trim", self.position, self.step.kind)

    def says(self, message: str) -> Problem:
        """A finding at the step."""
        file, _, line = self.policy.source.rpartition(":")
        path = f"spec.trim[{self.position}].{self.step.kind}"
        return Problem(file, _lines(self.policy, file, int(line or 0)).at(self.place), path, message)


def lint(policies: Sequence[Policy]) -> list[Problem]:
    """Findings about policies that can be loaded together, in the order of the policies."""
    return [*_conditions_in_cap_list(policies), *_contradicting_caps(policies)]


def _conditions_in_cap_list(policies: Sequence[Policy]) -> Iterator[Problem]:
    for cap in _caps(policies):
        last = cap.step.path.segments[-1] if cap.step.path.segments else None
        if isinstance(cap.step, CapList) and isinstance(last, Member) and last.name.lower().endswith(_CONDITIONS):
            yield cap.says(
                f"capList on {cap.step.path} also drops items without a type; for conditions write capConditions"
            )


def _contradicting_caps(policies: Sequence[Policy]) -> Iterator[Problem]:
    active = [policy for policy in policies if policy.mode is not Mode.OFF]
    for one, other in combinations(_caps(active), 2):
        if one.step.path != other.step.path or one.step == other.step:
            continue
        meeting = _meeting(one.policy, other.policy)
        if meeting is not None:
            yield other.says(
                f"{other.step.path} of {meeting} is capped otherwise by policy {one.policy.name} "
                f"(max {one.step.max}, here {other.step.max}); keep one of them"
            )


def _caps(policies: Sequence[Policy]) -> Iterator[_Cap]:
    for policy in policies:
        for position, entry in enumerate(policy.trim):
            # a step with a condition of its own is no contradiction to one without: it is a second level
            if isinstance(entry.step, _CAPS) and not entry.when and not policy.match.when:
                yield _Cap(policy, position, entry.step)


def _meeting(one: Policy, other: Policy) -> str | None:
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
