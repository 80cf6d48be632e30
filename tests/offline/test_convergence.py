"""What does not converge is told with its place and a sample to read."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import yaml

from admission.offline.case import CaseResult
from admission.offline.checkup import check_files
from admission.offline.convergence import CONVERGENT, convergence_of
from admission.offline.suite import run_file
from admission.policyfile.convergence import Effort
from admission.policyfile.loader import load_policies
from tests.offline.samples import POLICY, SUITE, bent, written


def cap(name: str, after: str = "") -> dict[str, Any]:
    step: dict[str, Any] = {"capList": {"path": f"status.{name}", "max": 1, "order": "NewestLast"}}
    when = [{"field": f"status.{after}[1]", "operator": "DoesNotExist"}]
    return {**step, "when": when} if after else step


CHAIN = bent(POLICY, "spec", "trim", to=[cap("a", "b"), cap("b", "c"), cap("c", "d"), cap("d")])
MESSAGE = "does not converge on a sample: capList of policy two-conditions: still changing after 3 rounds (I4)"


def test_a_policy_is_told_at_its_place_with_a_sample(tmp_path: Path) -> None:
    file = written(tmp_path, "p.yaml", CHAIN)
    (unsettled,) = convergence_of(load_policies([file])).unsettled
    assert str(unsettled.problem) == f"{file}:1: spec: {MESSAGE}"
    sample = yaml.safe_load(unsettled.sample)
    assert sample["object"]["status"] == {name: [{}, {}] for name in "abcd"}
    assert sample["now"] == "2026-01-01T12:00:00Z"


def test_what_converges_has_nothing_to_tell(tmp_path: Path) -> None:
    assert convergence_of(load_policies([written(tmp_path, "p.yaml", POLICY)])) == CONVERGENT


def test_what_was_not_judged_is_told(tmp_path: Path) -> None:
    names = [
        bent(bent(POLICY, "metadata", "name", to=f"p{number}"), "spec", "trim", 0, "capConditions", "max", to=number)
        for number in (2, 3, 4)
    ]
    policies = load_policies([written(tmp_path, "p.yaml", *names)])
    assert convergence_of(policies, Effort(alone=1, together=1, policies=2, pairs=1)).not_judged == (
        "too many to judge all: whether 1 policies and 2 pairs of them converge is not known"
    )


def test_it_is_wrong_in_a_checkup(tmp_path: Path) -> None:
    checkup = check_files([str(written(tmp_path, "p.yaml", CHAIN))], io.BytesIO())
    assert (checkup.clean, checkup.found, checkup.problems) == (False, 1, ())


def test_it_is_a_failed_case_of_a_suite_which_could_be_a_case_itself(tmp_path: Path) -> None:
    file = written(tmp_path, "s.suite.yaml", bent(SUITE, "policies", to=[CHAIN]))
    *_, failed = run_file(file, 0).cases
    assert (failed.name, failed.passed) == ("the policies converge", False)
    (failure,) = failed.failures
    assert (failure.what, failure.message) == ("convergence", MESSAGE)
    assert "      a:" in failure.diff


def test_suites_whose_policies_converge_have_no_case_more(tmp_path: Path) -> None:
    (case,) = run_file(written(tmp_path, "s.suite.yaml", SUITE), 0).cases
    assert isinstance(case, CaseResult)
    assert case.passed
