"""What the reasons in the decision log tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from admission.engine.decision import Reason

MEANINGS: Final[Mapping[Reason, str]] = {
    Reason.NO_POLICY: "No policy looks at this write.",
    Reason.EQUAL_AFTER_TRIMMING: "Trimmed, the write says what is stored already: it became a no-op.",
    Reason.WITHIN_STALENESS: (
        "All that differs from what is stored is covered by `suppress` rules, and stored no longer than they allow: "
        "the write was held back."
    ),
    Reason.CAP_UNREACHABLE: (
        "More than `max` are left: all of them are pinned, the last of their type, or entries that `evictWhere` "
        "does not let go."
    ),
    Reason.CO_OWNED: "Something stayed since two managers own it together, or one would lose it to the other.",
    Reason.SCHEMA_REQUIRES: (
        "Something stayed, or was not put back, since the schema of the kind demands it (`--crds`, `--cluster`, a "
        "suite's `schema`)."
    ),
    Reason.SCHEMA_UNKNOWN: "The schema of the kind is not known (`--crds`, `--cluster`), so `fitSchema` did nothing.",
    Reason.BUDGET_UNREACHABLE: "All steps of a `budget` have run, and it is still exceeded.",
    Reason.ABOVE_LIMIT: "Trimmed or not, the write is above one of the `limits`. `Rejected` or not, it says so.",
    Reason.WHEN_NOT_MET: "The `when` of a step did not hold, so it did not run.",
    Reason.OUTSIDE_ROLLOUT: "The object is not among the `rollout.percent` of the policy, so the policy only observed.",
    Reason.INVARIANT_VIOLATED: (
        "What the policy did broke a rule of statuscap's own, so the policy was left out: a bug, please report it."
    ),
    Reason.FAULT: "The write could not be evaluated and was allowed as it was; the process log says why.",
    Reason.SHED: "The write was allowed unevaluated: too late or too much at once (`statuscap_shed_total`).",
}
"""By reason, in the words of who reads the log; the empty reason has none."""
