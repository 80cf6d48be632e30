"""Policies that converge, and such that do not."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from admission.engine.policy import Policy
from admission.policyfile.meetings import Where
from tests.engine.build import GROUP, cap_list, only, policy, restore_times, truncate

WHERE: Final = Where(GROUP, "jobs/status", "v1alpha1")

CALM: Final = policy(cap_list(3), name="calm")
RESTORING: Final = policy(restore_times(fields=("lastTransitionTime", "transitionID")), name="restoring", priority=10)
CUTTING: Final = policy(truncate(40, "status.conditions[*].transitionID", marker="…"), name="cutting")
"""What the one puts back whole, the other cuts."""


def chain(*lists: str, name: str = "chain", priority: int = 0) -> Policy:
    """Each list is cut to one item once the next one is that short: the last one first, a round for each."""
    caps = {one: cap_list(1, at=f"status.{one}") for one in lists}
    steps = [only(f"status.{then}[1] DoesNotExist", caps[one]) for one, then in pairwise(lists)]
    return policy(*steps, caps[lists[-1]], name=name, priority=priority)
