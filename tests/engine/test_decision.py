"""The verdict."""

from __future__ import annotations

from admission.engine.decision import (
    STRENGTH,
    WOULD,
    Decision,
    Outcome,
    PolicyReport,
    Reason,
    StepReport,
    skipped,
    unchanged,
)


def test_what_would_have_happened_has_a_name_of_its_own() -> None:
    assert {would: outcome for outcome, would in WOULD.items()} == {
        "WouldTrim": "Trimmed",
        "WouldSuppress": "Suppressed",
        "WouldReject": "Rejected",
    }
    assert STRENGTH == ("WouldReject", "WouldSuppress", "WouldTrim")


def test_a_report_adds_up_its_steps() -> None:
    steps = (StepReport("capList", "status.l", items=2, bytes=10), StepReport("truncate", "status.m", items=1, bytes=5))
    report = PolicyReport("p", "Enforce", Outcome.TRIMMED, steps=steps)
    assert (report.items, report.bytes_removed) == (3, 15)


def test_what_is_allowed_as_it_is_has_no_patch() -> None:
    assert unchanged(Reason.NO_POLICY) == Decision(Outcome.UNCHANGED, Reason.NO_POLICY)
    assert skipped(Reason.SHED) == Decision(Outcome.SKIPPED, Reason.SHED)
