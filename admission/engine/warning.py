"""What the writer gets to read beside the answer: one line each, short, without control characters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from admission.engine.decision import WOULD, Outcome, Reason
from admission.engine.heaviest import subject
from admission.engine.limits import Excess
from admission.engine.policy import Mode, Policy
from admission.engine.verdict import Verdict
from admission.quantity import as_quantity

_LONGEST_WARNING: Final = 256  # the API server cuts longer ones when all together are above 4,096 characters
_MOST_WARNINGS: Final = 8

_NO_OPS: Final = {
    Reason.EQUAL_AFTER_TRIMMING: "trimmed, {root} equals the stored one",
    Reason.WITHIN_STALENESS: "what is new in {root} may wait",
}


def rejection_message(excess: Excess) -> str:
    """Why a write is rejected; the API server puts the webhook's name before it."""
    return _one_line(f"policy {excess.policy}: {excess.told}")


def warnings(verdict: Verdict, observed: Sequence[tuple[Policy, Verdict]]) -> tuple[str, ...]:
    """One line for everything that is above an enforced limit, and what the policies in Warn have to say.

    What rejects the write is the answer itself, and is not told twice.
    """
    if not verdict.excess and not observed:
        return ()
    rejection = verdict.rejection
    texts = [f"policy {excess.policy}: {excess.told}" for excess in verdict.excess if excess is not rejection]
    texts += [text for policy, other in observed if policy.mode is Mode.WARN for text in _of_observed(policy, other)]
    return tuple(islice((_short(f"statuscap: {text}") for text in texts), _MOST_WARNINGS))


def _of_observed(policy: Policy, verdict: Verdict) -> Iterator[str]:
    """One line for what the policy would have done, and one for everything that is above a limit of it."""
    rejection = verdict.rejection
    if rejection is not None:
        yield f"policy {policy.name} would reject this write: {rejection.told}"
    elif verdict.outcome in WOULD:
        yield f"policy {policy.name} {_would(verdict, policy.root)}"
    yield from (f"policy {policy.name}: {excess.told}" for excess in verdict.excess if excess is not rejection)


def _would(verdict: Verdict, root: str) -> str:
    items = sum(report.items for report in verdict.reports)
    put_back = sum(report.put_back for report in verdict.reports)
    saved = sum(report.bytes_removed for report in verdict.reports)
    if verdict.outcome is Outcome.SUPPRESSED:
        return f"would make this write a no-op: {_NO_OPS[verdict.reason].format(root=subject((root,)))}"
    removes = f"remove {as_quantity(saved)} of {subject((root,))} ({_count(items, 'item')} removed or cut)"
    restores = f"put {_count(put_back, 'stored time')} back"
    return f"would {' and '.join([removes] * bool(items or not put_back) + [restores] * bool(put_back))}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _short(text: str) -> str:
    line = _one_line(text)
    return line if len(line) <= _LONGEST_WARNING else f"{line[: _LONGEST_WARNING - 1]}…"


def _one_line(text: str) -> str:
    return " ".join(text.split())
