"""``restoreTimes`` where it does harm, or comes too early."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from admission.engine.fieldpath import EveryEntry, FieldPath, Index, Items, Member
from admission.engine.policy import Mode
from admission.engine.steps import Drop, FitSchema, RestoreTimes, Truncate
from admission.errors import Problem
from admission.policyfile.meetings import Meetings
from admission.policyfile.notes.placed import Placed, Read, placed
from admission.policyfile.overlap import may_meet

_Restoring: TypeAlias = "Placed[RestoreTimes]"
_Change: TypeAlias = "Placed[Truncate | Drop | FitSchema]"
_MEASURED: Final = "lastUpdateTime"


def measured_times(policies: Sequence[Read]) -> Iterator[Problem]:
    """Times that others measure a deadline from: put back, they stand still and the deadline passes."""
    for restoring in placed(policies, RestoreTimes):
        if _MEASURED in restoring.step.fields:
            yield restoring.says(
                f"Deployments, Rollouts and MachineDeployments measure their progress deadline from {_MEASURED}; "
                "leave it out of fields unless nobody does so here"
            )


def late_changes(policies: Sequence[Read]) -> Iterator[Problem]:
    """Cuts and drops after a comparison with what is stored, which is cut already: it then takes a round more.

    Each is told once, beside the first comparison that it comes too late for.
    """
    active = [read for read in policies if read.policy.mode is not Mode.OFF]
    restoring: defaultdict[str, list[_Restoring]] = defaultdict(list)
    for step in placed(active, RestoreTimes):
        restoring[step.policy.name].append(step)
    meetings = Meetings(read.policy for read in active if read.policy.name in restoring)
    for change in _changes(active) if restoring else ():
        names = (change.policy.name, *(other.name for other, _ in meetings.of(change.policy)))
        late = next(_too_early(change, (step for name in names for step in restoring.get(name, ()))), None)
        if late is not None:
            yield change.says(_told(change, *late))


def _changes(policies: Sequence[Read]) -> list[_Change]:
    found: list[_Change] = [*placed(policies, Truncate)]
    found += placed(policies, Drop)
    found += placed(policies, FitSchema)
    return found


def _too_early(change: _Change, restoring: Iterator[_Restoring]) -> Iterator[tuple[_Restoring, FieldPath]]:
    """Comparisons that come before the change of something that they compare, and what that is."""
    for step in restoring:
        path = next((path for path in change.step.paths if _compares(step.step, path)), None)
        if path is not None and step.turn < change.turn:
            yield step, path


def _told(change: _Change, restoring: _Restoring, path: FieldPath) -> str:
    if change.policy is restoring.policy:
        return f"{path} changes after restoreTimes compares it with what is stored; put this step first"
    return (
        f"{path} changes after policy {restoring.policy.name} (priority {restoring.policy.priority}) compares "
        "it with what is stored; give this policy the lower priority"
    )


def _compares(step: RestoreTimes, path: FieldPath) -> bool:
    """True when the path leads to something by which the step tells whether an item is what it was."""
    length = len(step.path.segments)
    around, (item, name) = FieldPath(path.segments[:length]), (*path.segments[length : length + 2], None, None)[:2]
    if not isinstance(item, Items | Index) or not may_meet(around, step.path):
        return False
    return isinstance(name, EveryEntry) or (isinstance(name, Member) and step.compares(name.name))
