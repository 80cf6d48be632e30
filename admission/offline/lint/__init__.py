"""What is allowed in policies and yet hardly meant."""

from __future__ import annotations

from collections.abc import Sequence

from admission.engine.policy import Policy
from admission.errors import Problem
from admission.offline.lint.caps import conditions_in_cap_list, contradicting_caps
from admission.offline.lint.times import late_changes, measured_times


def lint(policies: Sequence[Policy]) -> list[Problem]:
    """Findings about policies that can be loaded together, in the order of the policies."""
    checks = (conditions_in_cap_list, contradicting_caps, measured_times, late_changes)
    return [finding for check in checks for finding in check(policies)]
