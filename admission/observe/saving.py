"""What a decision saves, if its write lands once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from admission.engine.decision import Decision, Outcome, PolicyReport
from admission.engine.policy import Mode

SAVING: Final = frozenset({Outcome.TRIMMED, Outcome.SUPPRESSED, Outcome.WOULD_TRIM, Outcome.WOULD_SUPPRESS})
"""Outcomes that save something. A write that is rejected, or would be, is none of them: it is lost."""

_ENFORCED: Final = Mode.ENFORCE.value
_WOULD: Final = (Outcome.WOULD_SUPPRESS, Outcome.WOULD_TRIM)
"""Strongest first."""


class Saving(Struct, frozen=True):
    """What one write did not cost, in bytes as stored; in Warn and DryRun, what it would not have cost.

    With a ``max_staleness`` (nanoseconds) the rules of ``policy`` would have held the write back only while the last
    one that they let pass is no older; ``trimmed`` is what it would not have cost otherwise.
    """

    mode: str
    suppressed: bool
    bytes: int
    policy: str = ""
    max_staleness: int | None = None
    trimmed: int = 0


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
        trimmed = max(0, strongest.bytes_removed)
        saved = decision.object_bytes if suppressed else trimmed
        saving = Saving(strongest.mode, suppressed, saved)
        if strongest.max_staleness is not None:
            saving = replace(saving, policy=strongest.name, max_staleness=strongest.max_staleness, trimmed=trimmed)
        savings.append(saving)
    return savings


def passing(decision: Decision) -> list[str]:
    """The policies in Warn and DryRun whose rules let a write pass that lands: what is stored is fresh to them now."""
    if decision.outcome is Outcome.REJECTED:
        return []
    return [report.name for report in decision.policies if report.news and report.mode != _ENFORCED]


def _strongest(reports: Sequence[PolicyReport]) -> PolicyReport | None:
    would = [report for report in reports if report.outcome in _WOULD]
    return min(would, key=lambda report: _WOULD.index(report.outcome), default=None)
