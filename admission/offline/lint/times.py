"""``restoreTimes`` where it does harm, or comes too early."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final, TypeVar

from admission.engine.fieldpath import EveryEntry, FieldPath, Index, Items, Member
from admission.engine.policy import Mode, Policy
from admission.engine.steps import Drop, RestoreTimes, Step, Truncate
from admission.errors import Problem
from admission.offline.lint.placed import Placed, meeting
from admission.policyfile.overlap import may_meet

S = TypeVar("S", bound=Step)

_MEASURED: Final = "lastUpdateTime"


def measured_times(policies: Sequence[Policy]) -> Iterator[Problem]:
    """Times that others measure a deadline from: put back, they stand still and the deadline passes."""
    for restoring in _steps(policies, RestoreTimes):
        if _MEASURED in restoring.step.fields:
            yield restoring.says(
                f"Deployments, Rollouts and MachineDeployments measure their progress deadline from {_MEASURED}; "
                "leave it out of fields unless nobody does so here"
            )


def late_changes(policies: Sequence[Policy]) -> Iterator[Problem]:
    """Cuts and drops after a comparison with what is stored, which is cut already: it then takes a round more."""
    active = [policy for policy in policies if policy.mode is not Mode.OFF]
    changing: list[Placed[Truncate | Drop]] = [*_steps(active, Truncate)]
    changing += _steps(active, Drop)
    for restoring, change in product(_steps(active, RestoreTimes), changing):
        path = next((path for path in change.step.paths if _compares(restoring.step, path)), None)
        if path is None or change.turn < restoring.turn:
            continue
        if change.policy is restoring.policy:
            yield change.says(f"{path} changes after restoreTimes compares it with what is stored; put this step first")
        elif meeting(change.policy, restoring.policy) is not None:
            yield change.says(
                f"{path} changes after policy {restoring.policy.name} (priority {restoring.policy.priority}) compares "
                "it with what is stored; give this policy the lower priority"
            )


def _steps(policies: Sequence[Policy], kind: type[S]) -> list[Placed[S]]:
    return [
        Placed(policy, position, entry.step)
        for policy in policies
        for position, entry in enumerate(policy.trim)
        if isinstance(entry.step, kind)
    ]


def _compares(step: RestoreTimes, path: FieldPath) -> bool:
    """True when the path leads to something by which the step tells whether an item is what it was."""
    length = len(step.path.segments)
    around, (item, name) = FieldPath(path.segments[:length]), (*path.segments[length : length + 2], None, None)[:2]
    if not isinstance(item, Items | Index) or not may_meet(around, step.path):
        return False
    return isinstance(name, EveryEntry) or (isinstance(name, Member) and step.compares(name.name))
