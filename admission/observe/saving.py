"""What a decision saves, if its write lands once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from admission.engine.decision import Decision, Outcome, PolicyReport
from admission.engine.policy import Mode

SAVING: Final = frozenset({Outcome.TRIMMED, Outcome.SUPPRESSED, Outcome.WOULD_TRIM, Outcome.WOULD_SUPPRESS})
"""Outcomes that save something. A write that is rejected, or would be, is none of them: it is lost."""

_ENFORCED: Final = Mode.ENFORCE.value
_WOULD: Final = (Outcome.WOULD_SUPPRESS, Outcome.WOULD_TRIM)
"""Strongest first."""


class Saving(Struct, frozen=True):
    """What one write did not cost, in bytes as stored; in Warn and DryRun, what it would not have cost."""

    mode: str
    suppressed: bool
    bytes: int


def savings_of(decision: Decision) -> list[Saving]:
    """The saving of the enforced policies and, when a write is left, that of the strongest other policy.

    A suppressed write saves the whole object, a trimmed one the difference.
    """
    if decision.outcome not in SAVING:
        return []
    if decision.outcome is Outcome.SUPPRESSED:
        return [Saving(_ENFORCED, suppressed=True, bytes=decision.object_bytes)]
    savings = []
    if decision.outcome is Outcome.TRIMMED:
        saved = max(0, decision.bytes_before - decision.bytes_after)
        savings.append(Saving(_ENFORCED, suppressed=False, bytes=saved))
    strongest = _strongest(decision.policies)
    if strongest is not None:
        suppressed = strongest.outcome is Outcome.WOULD_SUPPRESS
        saved = decision.object_bytes if suppressed else max(0, strongest.bytes_removed)
        savings.append(Saving(strongest.mode, suppressed, saved))
    return savings


def _strongest(reports: Sequence[PolicyReport]) -> PolicyReport | None:
    would = [report for report in reports if report.outcome in _WOULD]
    return min(would, key=lambda report: _WOULD.index(report.outcome), default=None)
