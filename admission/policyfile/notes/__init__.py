"""What is allowed in policies and yet hardly meant: notes, which are no errors."""

from __future__ import annotations

from collections.abc import Sequence

from admission.errors import Problem
from admission.policyfile.notes.asked import fields_from_the_object_on
from admission.policyfile.notes.caps import conditions_in_cap_list, contradicting_caps
from admission.policyfile.notes.heartbeats import values_held_back
from admission.policyfile.notes.placed import Read
from admission.policyfile.notes.rules import main_resources, singular_resources
from admission.policyfile.notes.times import late_changes, measured_times


def notes(policies: Sequence[Read]) -> list[Problem]:
    """Notes on policies that are loaded together."""
    return [
        *singular_resources(policies),
        *main_resources(policies),
        *conditions_in_cap_list(policies),
        *contradicting_caps(policies),
        *fields_from_the_object_on(policies),
        *measured_times(policies),
        *late_changes(policies),
        *values_held_back(policies),
    ]


__all__ = ["Read", "notes"]
