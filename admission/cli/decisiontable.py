"""Decisions as a table for people: a line an object, a row a step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from rich.text import Text

from admission.cli import console
from admission.cli.amounts import change, count, size
from admission.cli.columns import GAP, align
from admission.cli.console import QUIET
from admission.engine.decision import Outcome, PolicyReport, Reason, StepReport

if TYPE_CHECKING:
    from rich.console import Console

    from admission.offline.rehearsal import Rehearsal

_STYLES: Final = {
    Outcome.UNCHANGED: QUIET,
    Outcome.TRIMMED: "green",
    Outcome.SUPPRESSED: "cyan",
    Outcome.REJECTED: "bold red",
    Outcome.SKIPPED: "magenta",
    Outcome.WOULD_TRIM: "yellow",
    Outcome.WOULD_SUPPRESS: "yellow",
    Outcome.WOULD_REJECT: "yellow",
}

_HANG: Final = 4
_QUIET, _PATH, _AMOUNTS = (1, 2), 3, (4, 5)
"""Columns of a row: policy, mode, step, path, items, bytes."""

_LEAST_PATH: Final = 24
"""Columns that a folded path is readable in; with less, a row is folded as a whole."""


def print_decisions(rehearsals: Sequence[Rehearsal]) -> None:
    """Print what became of every write, and the totals of several."""
    out = console.stdout()
    for rehearsal in rehearsals:
        _print_decision(out, rehearsal)
    if len(rehearsals) > 1:
        console.line(out, (_totals(rehearsals), "bold"), hang=_HANG)


def _print_decision(out: Console, rehearsal: Rehearsal) -> None:
    decision = rehearsal.decision
    outcome = f"{decision.outcome} ({decision.reason})" if decision.reason else str(decision.outcome)
    console.line(
        out,
        (outcome, _STYLES[decision.outcome]),
        GAP,
        (rehearsal.write.title, "bold"),
        GAP,
        change(decision.bytes_before, decision.bytes_after),
        hang=_HANG,
    )
    _print_steps(out, decision.policies)
    for text, style in _remarks(rehearsal):
        console.line(out, "  ", (text, style), hang=_HANG)


def _print_steps(out: Console, policies: Sequence[PolicyReport]) -> None:
    rows = [_styled(row) for policy in policies for row in _rows(policy)]
    if not rows:
        return
    lines = align(rows, out.width, _PATH, _LEAST_PATH, right=_AMOUNTS)
    if lines is not None:
        for line in lines:
            console.verbatim(out, line)
        return
    for row in rows:
        console.line(out, Text(GAP).join(filter(None, row)), hang=_HANG)


def _styled(row: tuple[str, ...]) -> list[Text]:
    return [Text(text, QUIET if at in _QUIET else "") for at, text in enumerate(row)]


def _rows(policy: PolicyReport) -> Iterator[tuple[str, ...]]:
    if not policy.steps:
        why = f"{policy.outcome} ({policy.reason})" if policy.reason else str(policy.outcome)
        yield f"  {policy.name}", policy.mode, why, "", "", ""
    only_observes = policy.reason is Reason.OUTSIDE_ROLLOUT
    mode = f"{policy.mode} ({policy.reason})" if only_observes else policy.mode
    for step in policy.steps:
        yield f"  {policy.name}", mode, step.step, *_amounts(step)


def _amounts(step: StepReport) -> tuple[str, str, str]:
    path = f"{step.path} ({step.reason})" if step.reason else step.path
    if step.found is None:
        path = f"{step.path} (when not met)"
    elif not step.found and step.reason is Reason.NONE:
        path = f"{step.path} (not found)"
    return path, count(step.items, "item"), f"−{size(step.bytes)}" if step.bytes > 0 else size(-step.bytes)


def _remarks(rehearsal: Rehearsal) -> Iterator[tuple[str, str]]:
    if rehearsal.code is not None:
        yield f"rejected with {rehearsal.code}: {rehearsal.message}", "red"
    elif rehearsal.message:
        yield f"would be rejected: {rehearsal.message}", "yellow"
    for warning in rehearsal.warnings:
        yield f"warning: {warning}", "yellow"
    for violation in rehearsal.decision.violations:
        yield f"policy {violation.policy} left out: {violation.invariant}: {violation.detail}", "magenta"
    if rehearsal.fault is not None:
        yield f"not evaluated: {rehearsal.fault.error}", "magenta"
    if rehearsal.broken:
        yield rehearsal.broken, "magenta"


def _totals(rehearsals: Sequence[Rehearsal]) -> str:
    decisions = [rehearsal.decision for rehearsal in rehearsals]
    outcomes = Counter(str(decision.outcome) for decision in decisions)
    told = ", ".join(f"{number} {outcome}" for outcome, number in sorted(outcomes.items()))
    before, after = (sum(getattr(each, name) for each in decisions) for name in ("bytes_before", "bytes_after"))
    return f"{count(len(decisions), 'object')}: {told}  {change(before, after)}"
