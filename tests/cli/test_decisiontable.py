"""What a decision looks like, also one that the policies at hand do not make."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from admission.cli.apply import Format, exit_code, print_remarks
from admission.cli.decisiontable import print_decisions
from admission.cli.exits import Exit
from admission.engine.decision import Decision, Op, Outcome, PolicyReport, Reason, StepReport, Violation
from tests.offline.rehearsing import rehearsed

STEP = StepReport("capList", "status['a[b]'].:smile:", found=True, items=1990, bytes=149_606)
TRIMMED = Decision(
    Outcome.TRIMMED,
    policies=(PolicyReport("long", "Enforce", Outcome.TRIMMED, steps=(STEP,)),),
    bytes_before=151_552,
    bytes_after=1_946,
)
REJECTED = Decision(Outcome.REJECTED, message="status is 2 MiB, 512 KiB too much", bytes_before=9, bytes_after=9)
WOULD_REJECT = replace(REJECTED, outcome=Outcome.WOULD_REJECT)
VIOLATED = Decision(Outcome.UNCHANGED, violations=(Violation("I5", "long", "it grew"),))
BROKEN = Decision(Outcome.TRIMMED, patch=(Op("remove", "/status/none"),))
FAULT = ValueError("no such thing")


def printed(capsys: pytest.CaptureFixture[str], *decisions: Decision | Exception) -> list[str]:
    print_decisions([rehearsed(decision) for decision in decisions])
    return capsys.readouterr().out.splitlines()


def test_what_looks_like_markup_is_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, TRIMMED) == [
        "Trimmed  widgets.example.com team-a/w1  148 KiB → 1.9 KiB (−98.7 %)",
        "  long  Enforce  capList  status['a[b]'].:smile:  1,990 items  −146 KiB",
    ]


@pytest.mark.parametrize(
    ("decision", "line", "code"),
    [
        (REJECTED, "  rejected with 413: status is 2 MiB, 512 KiB too much", Exit.REJECTED),
        (WOULD_REJECT, "  would be rejected: status is 2 MiB, 512 KiB too much", Exit.OK),
        (VIOLATED, "  policy long left out: I5: it grew", Exit.FINDINGS),
        (BROKEN, "  the patch does not apply: ", Exit.FINDINGS),
        (FAULT, "  not evaluated: no such thing", Exit.FINDINGS),
        (Decision(Outcome.UNCHANGED, warnings=("long: 3 items more",)), "  warning: long: 3 items more", Exit.OK),
    ],
)
def test_what_is_odd_is_told_below(
    capsys: pytest.CaptureFixture[str], decision: Decision | Exception, line: str, code: Exit
) -> None:
    assert printed(capsys, decision)[-1].startswith(line)
    assert exit_code([rehearsed(decision)]) is code


@pytest.mark.parametrize(
    ("step", "cell"),
    [
        (StepReport("capList", "status.x"), "status.x (when not met)"),
        (StepReport("capList", "status.x", found=False), "status.x (not found)"),
        (StepReport("capList", "status.x", found=True, reason=Reason.CO_OWNED), "status.x (CoOwned)"),
    ],
)
def test_a_step_without_effect_says_why(capsys: pytest.CaptureFixture[str], step: StepReport, cell: str) -> None:
    unchanged = Decision(
        Outcome.UNCHANGED, policies=(PolicyReport("long", "Enforce", Outcome.UNCHANGED, steps=(step,)),)
    )
    assert cell in printed(capsys, unchanged)[1]


def test_a_policy_without_steps_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    reported = PolicyReport("long", "Enforce", Outcome.SKIPPED, Reason.WHEN_NOT_MET)
    assert "Skipped (WhenNotMet)" in printed(capsys, Decision(Outcome.UNCHANGED, policies=(reported,)))[1]


def test_a_policy_that_is_rolled_out_to_other_objects_says_why_it_only_observes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    step = StepReport("capList", "status.x", found=True, items=1)
    reported = PolicyReport("long", "DryRun", Outcome.WOULD_TRIM, Reason.OUTSIDE_ROLLOUT, (step,))
    line = printed(capsys, Decision(Outcome.WOULD_TRIM, policies=(reported,)))[1]
    assert line.split("  ")[1:4] == ["long", "DryRun (OutsideRollout)", "capList"]


def test_a_rejection_outweighs_everything() -> None:
    assert exit_code([rehearsed(each) for each in (TRIMMED, FAULT, REJECTED)]) is Exit.REJECTED


@pytest.mark.parametrize(
    ("decision", "remark"),
    [
        (REJECTED, "rejected with 413: status is 2 MiB"),
        (FAULT, "not evaluated: no such thing"),
        (BROKEN, "the patch does not apply"),
        (Decision(Outcome.WOULD_REJECT), "WouldReject, since no policy enforces it"),
        (
            WOULD_REJECT,
            "WouldReject, since no policy enforces it; --mode Enforce shows what would be done: status is 2",
        ),
    ],
)
@pytest.mark.parametrize("output", [Format.DIFF, Format.PATCH, Format.YAML])
def test_a_format_without_room_tells_it_on_the_error_output(
    capsys: pytest.CaptureFixture[str], decision: Decision | Exception, remark: str, output: Format
) -> None:
    print_remarks([rehearsed(decision)], output)
    assert f"statuscap: widgets.example.com team-a/w1: {remark}" in capsys.readouterr().err
