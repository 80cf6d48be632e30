"""Caps that are hardly meant."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from admission.engine.fieldpath import FieldPath, Member
from admission.engine.policy import Mode
from admission.engine.steps import CapConditions, CapList, CapMap
from admission.errors import Problem
from admission.policyfile.meetings import Meetings, Where
from admission.policyfile.notes.placed import Placed, Read, placed

_Cap: TypeAlias = CapList | CapConditions | CapMap
_CONDITIONS: Final = "conditions"


def conditions_in_cap_list(policies: Sequence[Read]) -> Iterator[Problem]:
    """Caps of conditions by the step for any list, which also drops items that have no type."""
    for cap in placed(policies, CapList):
        last = cap.step.path.segments[-1] if cap.step.path.segments else None
        if isinstance(last, Member) and last.name.lower().endswith(_CONDITIONS):
            yield cap.says(
                f"capList on {cap.step.path} also drops items without a type; for conditions write capConditions"
            )


def contradicting_caps(policies: Sequence[Read]) -> Iterator[Problem]:
    """Two caps of one list or map: the lower one counts. Each is told once, beside the first that says otherwise."""
    by_path: defaultdict[FieldPath, list[Placed[_Cap]]] = defaultdict(list)
    for cap in _unconditional(policies):
        by_path[cap.step.path].append(cap)
    for caps in by_path.values():
        if len({cap.step for cap in caps}) > 1:
            yield from _contradictions(caps)


def _contradictions(caps: Sequence[Placed[_Cap]]) -> Iterator[Problem]:
    """Those among caps of one path, in their turns; only the policies of these are looked at for who meets whom."""
    meetings = Meetings({cap.policy.name: cap.policy for cap in caps}.values())
    for at, cap in enumerate(caps):
        where = {cap.policy.name: Where.first_of(cap.policy)}
        where |= {other.name: met for other, met in meetings.of(cap.policy)}
        earlier = (rival for rival in caps[:at] if rival.policy.name in where)
        rival = next((each for each in earlier if _contradict(each.step, cap.step)), None)
        if rival is not None:
            yield cap.says(
                f"{cap.step.path} of {where[rival.policy.name]} is capped otherwise by policy {rival.policy.name} "
                f"(max {rival.step.max}, here {cap.step.max}); keep one of them"
            )


def _contradict(one: _Cap, other: _Cap) -> bool:
    """False also for two caps of a map that evict other entries: so many that are done, and so many of all."""
    if one == other:
        return False
    return not (isinstance(one, CapMap) and isinstance(other, CapMap) and one.evict_where != other.evict_where)


def _unconditional(policies: Sequence[Read]) -> list[Placed[_Cap]]:
    """The caps of policies that do something; one with a condition is no contradiction but a second level."""
    found: list[Placed[_Cap]] = [*placed(policies, CapList)]
    found += placed(policies, CapConditions)
    found += placed(policies, CapMap)
    return [
        cap
        for cap in sorted(found, key=lambda cap: cap.turn)
        if cap.policy.mode is not Mode.OFF and not cap.policy.match.when and not cap.conditional
    ]
