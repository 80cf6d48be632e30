"""What the writer gets to read beside the answer: one line a policy, short, without control characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from admission.engine.decision import WOULD, Outcome
from admission.engine.policy import Mode, Policy
from admission.engine.settle import Verdict

_LONGEST_WARNING: Final = 256  # the API server cuts longer ones when all together are above 4,096 characters
_MOST_WARNINGS: Final = 8


def warnings(observed: Sequence[tuple[Policy, Verdict]]) -> list[str]:
    """One line for every policy in Warn that would have done something."""
    texts = [
        _one_line(f"statuscap: policy {policy.name} {_would(verdict)}")
        for policy, verdict in observed
        if policy.mode is Mode.WARN and verdict.outcome in WOULD
    ]
    return texts[:_MOST_WARNINGS]


def _would(verdict: Verdict) -> str:
    items = sum(report.items for report in verdict.reports)
    saved = sum(report.bytes_removed for report in verdict.reports)
    if verdict.outcome is Outcome.SUPPRESSED:
        return "would make this write a no-op: trimmed, the status equals the stored one"
    return f"would remove {saved} bytes of this status ({items} {'item' if items == 1 else 'items'} removed or cut)"


def _one_line(text: str) -> str:
    return " ".join(text.split())[:_LONGEST_WARNING]
