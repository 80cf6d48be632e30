"""A case goes through the real handler, and some things must hold for every one."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from admission.engine.decision import Decision, Op, Outcome, Violation
from admission.handler import Evaluate
from admission.offline.case import run_case
from admission.offline.expectation import Failure
from admission.offline.suitefile import load_suites
from tests.offline.rehearsing import engine, failed
from tests.offline.samples import SUITE, TRIMMED, WIDGET, bent, written


def test_the_rewrite_of_an_untrimmed_object_is_suppressed(tmp_path: Path) -> None:
    suite = bent(SUITE, "cases", 0, "oldObject", to={**WIDGET, "status": TRIMMED})
    assert failed(tmp_path, suite, outcome="Suppressed", status=TRIMMED) == []


# --- what must hold for every case ------------------------------------------------------------------------------------


def failures(folder: Path, evaluate: Evaluate, **expect: Any) -> tuple[Failure, ...]:
    file = written(folder, "s.suite.yaml", bent(SUITE, "cases", 0, "expect", to=expect))
    (suite,) = load_suites(file, now=0)
    return run_case(suite.cases[0], suite.policies, evaluate).failures


CUT = Decision(Outcome.TRIMMED, patch=(Op("remove", "/status/conditions/0"),))
ALLOWED = Decision(Outcome.UNCHANGED)


def test_a_result_that_is_changed_again_fails_every_case(tmp_path: Path) -> None:
    (failure,) = failures(tmp_path, engine(CUT, CUT), outcome="Trimmed")
    assert failure.what.startswith("idempotence")
    assert any(line.startswith("-") for line in failure.diff[2:])


@pytest.mark.parametrize("path", ["/status/conditions/9", "/status/nothing", "/status/phase/x"])
def test_a_patch_that_does_not_apply_fails_every_case(tmp_path: Path, path: str) -> None:
    (failure,) = failures(tmp_path, engine(replace(CUT, patch=(Op("remove", path),))), outcome="Trimmed")
    assert failure.message.startswith("the patch does not apply")


def test_a_write_that_is_not_evaluated_fails_every_case(tmp_path: Path) -> None:
    (failure,) = failures(tmp_path, engine(ValueError("broken"), ALLOWED), maxPatchOps=0)
    assert (failure.what, failure.message) == ("fault", "the write was not evaluated: ValueError('broken')")


def test_a_case_may_expect_a_fault(tmp_path: Path) -> None:
    assert failures(tmp_path, engine(ValueError("broken"), ALLOWED), outcome="Skipped") == ()


def test_a_case_may_expect_a_rejection(tmp_path: Path) -> None:
    rejecting = engine(Decision(Outcome.REJECTED, message="status is 5 bytes too big"))
    expect = {"outcome": "Rejected", "code": 413, "message": "5 bytes", "status": WIDGET["status"]}
    assert failures(tmp_path, rejecting, **expect) == ()


def test_an_invariant_that_would_have_been_broken_fails_every_case(tmp_path: Path) -> None:
    violated = Decision(Outcome.UNCHANGED, violations=(Violation("I5", "two-conditions", "it grew"),))
    (failure,) = failures(tmp_path, engine(violated, ALLOWED), outcome="Unchanged")
    assert failure.message == "I5 would have been broken by two-conditions: it grew"
