"""What a decision saves, if its write lands once."""

import pytest
from msgspec.structs import replace

from admission.engine.decision import Decision, Outcome, PolicyReport, Reason, StepReport, unchanged
from admission.observe.saving import Saving, passing, savings_of
from tests.observe.answers import TRIMMED


def observed(outcome: Outcome, mode: str = "DryRun", saved: int = 70) -> PolicyReport:
    step = StepReport("truncate", "status.message", found=True, items=1, bytes=saved)
    return PolicyReport(f"{mode}-{outcome}", mode, outcome, steps=(step,))


def decided(outcome: Outcome, *reports: PolicyReport) -> Decision:
    return replace(TRIMMED, outcome=outcome, policies=reports)


WHOLE, DIFFERENCE = TRIMMED.object_bytes, TRIMMED.bytes_before - TRIMMED.bytes_after


@pytest.mark.parametrize(
    ("decision", "savings"),
    [
        pytest.param(TRIMMED, [Saving("Enforce", False, DIFFERENCE)], id="a trimmed write saves the difference"),
        pytest.param(
            replace(TRIMMED, outcome=Outcome.SUPPRESSED),
            [Saving("Enforce", True, WHOLE)],
            id="a suppressed write saves the whole object",
        ),
        pytest.param(
            decided(Outcome.WOULD_TRIM, observed(Outcome.UNCHANGED), observed(Outcome.WOULD_TRIM)),
            [Saving("DryRun", False, 70)],
            id="a policy that only looks would have saved what its steps would have removed",
        ),
        pytest.param(
            decided(Outcome.WOULD_SUPPRESS, observed(Outcome.WOULD_TRIM), observed(Outcome.WOULD_SUPPRESS, "Warn")),
            [Saving("Warn", True, WHOLE)],
            id="of several that only look the strongest counts, since each was judged alone",
        ),
        pytest.param(
            decided(Outcome.TRIMMED, observed(Outcome.TRIMMED, "Enforce"), observed(Outcome.WOULD_TRIM)),
            [Saving("Enforce", False, DIFFERENCE), Saving("DryRun", False, 70)],
            id="what is left after trimming, another policy would have trimmed further",
        ),
        pytest.param(
            decided(Outcome.SUPPRESSED, observed(Outcome.SUPPRESSED, "Enforce"), observed(Outcome.WOULD_TRIM)),
            [Saving("Enforce", True, WHOLE)],
            id="of a write that is none there is nothing left to save",
        ),
        pytest.param(
            replace(TRIMMED, bytes_after=TRIMMED.bytes_before + 5),
            [Saving("Enforce", False, 0)],
            id="what grew saves nothing, and nothing is taken back",
        ),
        pytest.param(
            decided(Outcome.WOULD_TRIM, observed(Outcome.WOULD_TRIM, saved=-5)),
            [Saving("DryRun", False, 0)],
            id="nor is what would have grown",
        ),
        pytest.param(unchanged(Reason.NO_POLICY), [], id="an unchanged write saves nothing"),
        pytest.param(decided(Outcome.REJECTED), [], id="a rejected write is not saved but lost"),
        pytest.param(decided(Outcome.WOULD_REJECT, observed(Outcome.WOULD_REJECT)), [], id="also in DryRun"),
        pytest.param(
            decided(Outcome.REJECTED, observed(Outcome.WOULD_TRIM)), [], id="nor is what was to be trimmed of it"
        ),
        pytest.param(decided(Outcome.SKIPPED), [], id="what was not judged saves nothing"),
    ],
)
def test_savings(decision: Decision, savings: list[Saving]) -> None:
    assert savings_of(decision) == savings


def test_what_is_news_to_a_policy_that_only_looks_passes_unless_the_write_is_rejected() -> None:
    reports = [replace(observed(Outcome.UNCHANGED, mode), news=True) for mode in ("Enforce", "DryRun", "Warn")]
    reports.append(observed(Outcome.WOULD_TRIM))
    assert passing(decided(Outcome.TRIMMED, *reports)) == ["DryRun-Unchanged", "Warn-Unchanged"]
    assert passing(decided(Outcome.REJECTED, *reports)) == []
