"""Caps that are hardly meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final, TypeAlias

from admission.engine.fieldpath import Member
from admission.engine.policy import Mode, Policy
from admission.engine.steps import CapConditions, CapList
from admission.errors import Problem
from admission.offline.lint.placed import Placed, meeting

_Cap: TypeAlias = CapList | CapConditions
_CONDITIONS: Final = "conditions"
_CAPS: Final = (CapList, CapConditions)


def conditions_in_cap_list(policies: Sequence[Policy]) -> Iterator[Problem]:
    for cap in _caps(policies):
        last = cap.step.path.segments[-1] if cap.step.path.segments else None
        if isinstance(cap.step, CapList) and isinstance(last, Member) and last.name.lower().endswith(_CONDITIONS):
            yield cap.says(
                f"capList on {cap.step.path} also drops items without a type; for conditions write capConditions"
            )


def contradicting_caps(policies: Sequence[Policy]) -> Iterator[Problem]:
    active = [policy for policy in policies if policy.mode is not Mode.OFF]
    for one, other in combinations(_caps(active), 2):
        if one.step.path != other.step.path or one.step == other.step:
            continue
        where = meeting(one.policy, other.policy)
        if where is not None:
            yield other.says(
                f"{other.step.path} of {where} is capped otherwise by policy {one.policy.name} "
                f"(max {one.step.max}, here {other.step.max}); keep one of them"
            )


def _caps(policies: Sequence[Policy]) -> Iterator[Placed[_Cap]]:
    for policy in policies:
        for position, entry in enumerate(policy.trim):
            # a step with a condition of its own is no contradiction to one without: it is a second level
            if isinstance(entry.step, _CAPS) and not entry.when and not policy.match.when:
                yield Placed(policy, position, entry.step)
