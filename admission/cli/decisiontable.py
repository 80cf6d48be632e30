"""Decisions as a table for people: a line an object, a row a step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from rich.table import Table

from admission.cli import console
from admission.cli.amounts import change, count, size
from admission.engine.decision import Outcome, PolicyReport, Reason, StepReport

if TYPE_CHECKING:
    from rich.console import Console

    from admission.offline.rehearsal import Rehearsal

_STYLES: Final = {
    Outcome.UNCHANGED: "dim",
    Outcome.TRIMMED: "green",
    Outcome.SUPPRESSED: "cyan",
    Outcome.REJECTED: "bold red",
    Outcome.SKIPPED: "magenta",
    Outcome.WOULD_TRIM: "yellow",
    Outcome.WOULD_SUPPRESS: "yellow",
    Outcome.WOULD_REJECT: "yellow",
}


def print_decisions(rehearsals: Sequence[Rehearsal]) -> None:
    """Print what became of every write, and the totals of several."""
    out = console.stdout()
    for rehearsal in rehearsals:
        _print_decision(out, rehearsal)
    if len(rehearsals) > 1:
        console.line(out, (_totals(rehearsals), "bold"))


def _print_decision(out: Console, rehearsal: Rehearsal) -> None:
    decision = rehearsal.decision
    outcome = f"{decision.outcome} ({decision.reason})" if decision.reason else str(decision.outcome)
    console.line(
        out,
        (rehearsal.write.title, "bold"),
        f"   {change(decision.bytes_before, decision.bytes_after)}   ",
        (outcome, _STYLES[decision.outcome]),
    )
    if decision.policies:
        out.print(_steps(decision.policies))
    for text, style in _remarks(rehearsal):
        console.line(out, "  ", (text, style))


def _steps(policies: Sequence[PolicyReport]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    for _ in ("mode", "step"):
        table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    for _ in ("items", "bytes"):
        table.add_column(justify="right", no_wrap=True)
    for policy in policies:
        for row in _rows(policy):
            table.add_row(*row)
    return table


def _rows(policy: PolicyReport) -> Iterator[tuple[str, ...]]:
    if not policy.steps:
        why = f"{policy.outcome} ({policy.reason})" if policy.reason else str(policy.outcome)
        yield f"  {policy.name}", policy.mode, why, "", "", ""
    for step in policy.steps:
        yield f"  {policy.name}", policy.mode, step.step, *_amounts(step)


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
    return f"{count(len(decisions), 'object')}: {told}   {change(before, after)}"
