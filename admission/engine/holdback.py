"""Holding back a write that is no more than a heartbeat: the verdict on what trimming left of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace as bent

from admission.engine.attributes import Attributes
from admission.engine.comparison import Broken
from admission.engine.decision import Op, Outcome, PolicyReport, Reason, StepReport
from admission.engine.document import Document
from admission.engine.invariants import not_stored
from admission.engine.noop import may_become_stored, restore_operations
from admission.engine.places import pointer
from admission.engine.policy import Policy
from admission.engine.rounds import Rounds
from admission.engine.suppress import Held, SuppressRule, held
from admission.engine.values import encode
from admission.engine.verdict import Verdict

SUPPRESS: Final = "suppress"
"""What reports call a rule, where they name the steps of others."""

_AROUND_AN_OPERATION: Final = len('{"op":"replace","path":"","value":},')


def hold_back(verdict: Verdict, before: Sequence[Policy], attributes: Attributes, now: int) -> Broken | None:
    """Make the write one that changes nothing, where the rules at work cover all that is left of it.

    The rules of the verdict's policies count, and those of ``before``, which were at work earlier. What is stored must
    be trimmed already, or the write would come back as another one. Tells what would be broken; the verdict is of no
    use then.
    """
    document, policies = verdict.document, (*before, *verdict.judged)
    if verdict.outcome not in (Outcome.UNCHANGED, Outcome.TRIMMED):
        verdict.reports = _reports(verdict, None, news=False)
        return None
    found = held(document, [(policy.name, rule) for policy in policies for rule in policy.suppress], now)
    if found is None or not found.leaves or not _may_be_held_back(document, policies, attributes, now):
        verdict.reports = _reports(verdict, None, news=found is None or bool(found.leaves))
        return None
    fault = _suppress(verdict, found)
    verdict.reports = _reports(verdict, found, news=False)
    return fault


def _may_be_held_back(document: Document, policies: Sequence[Policy], attributes: Attributes, now: int) -> bool:
    if not _is_trimmed(document.of_stored(), policies, now):
        return False
    pruned = document.ownership.pruned(document.edits, document.object)
    return may_become_stored(document, attributes, pruned)


def _is_trimmed(stored: Document | None, policies: Sequence[Policy], now: int) -> bool:
    trimming = [policy for policy in policies if policy.trim]
    if not trimming or stored is None:
        return True
    Rounds(trimming, stored, now)
    return not stored.changed


def _suppress(verdict: Verdict, held_back: Held) -> Broken | None:
    document = verdict.document
    held_back.put_back(document)
    restoring = restore_operations(document.ownership, document.stored_ownership)
    verdict.patch = (*_shortest(document), *restoring)
    verdict.outcome, verdict.reason = Outcome.SUPPRESSED, Reason.WITHIN_STALENESS
    verdict.pruning = ()
    return not_stored(document, verdict.patch)


def _shortest(document: Document) -> list[Op]:
    """The changes one by one, or the stored roots whole where that is fewer bytes."""
    operations, stored = document.operations(), document.stored_object or {}
    wholes = [
        Op("replace", pointer((root,)), encode(stored[root])) for root in document.roots if root in document.object
    ]
    return operations if _length(operations) <= _length(wholes) else wholes


def _length(operations: Sequence[Op]) -> int:
    return sum(_AROUND_AN_OPERATION + len(each.path) + len(each.value or b"") for each in operations)


# --- what each policy gets to report ---------------------------------------------------------------------------------


def _reports(verdict: Verdict, held_back: Held | None, *, news: bool) -> tuple[PolicyReport, ...]:
    rules = {policy.name: policy.suppress for policy in verdict.judged}
    return tuple(_report(each, rules.get(each.name, ()), verdict.document, held_back, news) for each in verdict.reports)


def _report(
    report: PolicyReport, rules: Sequence[SuppressRule], document: Document, held_back: Held | None, news: bool
) -> PolicyReport:
    steps = (*report.steps, *(_step(rule, document, held_back) for rule in rules))
    if held_back is None:
        return bent(report, steps=steps, news=news and bool(rules))
    outcome, reason = report.outcome, report.reason
    if report.name in held_back.policies:
        outcome, reason = Outcome.SUPPRESSED, Reason.WITHIN_STALENESS
    elif outcome is Outcome.TRIMMED:
        outcome = Outcome.SUPPRESSED
    return bent(report, outcome=outcome, reason=reason, steps=steps, max_staleness=held_back.max_staleness)


def _step(rule: SuppressRule, document: Document, held_back: Held | None) -> StepReport:
    count = 0 if held_back is None else sum(leaf.rule is rule for leaf in held_back.leaves)
    found = any(map(document.leads_anywhere, rule.fields))
    return StepReport(SUPPRESS, ", ".join(map(str, rule.fields)), found, items=count, put_back=count)
