"""What a case names must hold exactly, and some things must hold for every case."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision, Op, Outcome, Violation
from admission.engine.policy import PolicySet
from admission.errors import PolicyError
from admission.handler import Evaluate
from admission.offline.case import CaseResult, run_case
from admission.offline.expectation import Failure
from admission.offline.suite import find_suites, run_file
from admission.offline.suitefile import SCHEMA_NOT_USED, load_suites
from tests.offline.samples import POLICY, SUITE, TRIMMED, WIDGET, bent, written


def result(folder: Path, suite: Any = SUITE, **expect: Any) -> CaseResult:
    """Run the sample's one case with other expectations."""
    if expect:
        suite = bent(suite, "cases", 0, "expect", to=expect)
    (only,) = run_file(written(folder, "s.suite.yaml", suite), now=0).cases
    return only


def failed(folder: Path, suite: Any = SUITE, **expect: Any) -> list[str]:
    return [failure.what for failure in result(folder, suite, **expect).failures]


PATCH = [{"op": "remove", "path": "/status/conditions/0"}]


@pytest.mark.parametrize(
    "expect",
    [
        pytest.param({"outcome": "Trimmed"}, id="outcome"),
        pytest.param({"status": TRIMMED}, id="status"),
        pytest.param({"patch": PATCH}, id="patch"),
        pytest.param({"maxPatchOps": 1}, id="number of operations"),
        pytest.param({"bytesAfter": {"max": "1Ki"}}, id="size"),
        pytest.param({"warnings": []}, id="no warnings"),
        pytest.param({"object": {"kind": "Widget", "metadata": WIDGET["metadata"]}}, id="members of the object"),
    ],
)
def test_passes_when_what_is_named_holds(tmp_path: Path, expect: dict[str, Any]) -> None:
    assert failed(tmp_path, **expect) == []


@pytest.mark.parametrize(
    ("expect", "what"),
    [
        pytest.param({"outcome": "Unchanged"}, "outcome", id="outcome"),
        pytest.param({"status": {**TRIMMED, "phase": "ready"}}, "status", id="a text"),
        pytest.param({"status": {**TRIMMED, "extra": None}}, "status", id="null is not absent"),
        pytest.param({"status": {"phase": "Ready"}}, "status", id="a member less"),
        pytest.param(
            {"status": {**TRIMMED, "conditions": TRIMMED["conditions"][::-1]}}, "status", id="order of a list"
        ),
        pytest.param({"patch": []}, "patch", id="patch"),
        pytest.param({"patch": [{**PATCH[0], "value": 1}]}, "patch", id="an operation with more in it"),
        pytest.param({"maxPatchOps": 0}, "maxPatchOps", id="number of operations"),
        pytest.param({"bytesAfter": {"max": 100}}, "bytesAfter", id="size"),
        pytest.param({"code": 413}, "code", id="code"),
        pytest.param({"message": "too big"}, "message", id="message"),
        pytest.param({"warnings": ["x"]}, "warnings", id="a warning that is not there"),
        pytest.param({"managedFields": []}, "metadata.managedFields", id="managedFields"),
        pytest.param({"object": {"metadata": {"name": "w1"}}}, "metadata", id="a member is compared whole"),
        pytest.param({"object": {"spec": {}}}, "spec", id="a member that is not there"),
    ],
)
def test_fails_when_what_is_named_does_not_hold(tmp_path: Path, expect: dict[str, Any], what: str) -> None:
    assert failed(tmp_path, **expect) == [what]


@pytest.mark.parametrize(
    ("actual", "expected"), [("1", "1.0"), ("1", "true"), ("1", '"1"'), ("0", "null"), ("1", "1e0")]
)
def test_values_that_python_takes_for_equal_are_not(tmp_path: Path, actual: str, expected: str) -> None:
    suite = bent(SUITE, "cases", 0, "object", "status", to="ACTUAL")
    suite = bent(suite, "cases", 0, "expect", to={"status": "EXPECTED"})
    text = json.dumps(suite)
    for value, passed in ((actual, True), (expected, False)):
        filled = text.replace('"ACTUAL"', f'{{"n": {actual}}}').replace('"EXPECTED"', f'{{"n": {value}}}')
        assert result(tmp_path, filled).passed is passed


def test_a_failure_shows_the_difference(tmp_path: Path) -> None:
    (failure,) = result(tmp_path, status={**TRIMMED, "phase": "Failed"}).failures
    assert failure.diff[:2] == ("--- expected", "+++ actual")
    assert failure.diff[-2:] == ("-phase: Failed", "+phase: Ready")


def test_a_policy_that_does_not_enforce_changes_nothing(tmp_path: Path) -> None:
    suite = bent(SUITE, "mode", to="DryRun")
    assert failed(tmp_path, suite, outcome="WouldTrim", status=WIDGET["status"], patch=[]) == []


def test_warnings_are_searched_one_by_one(tmp_path: Path) -> None:
    suite = bent(SUITE, "mode", to="Warn")
    assert failed(tmp_path, suite, outcome="WouldTrim", warnings=["two-cond"]) == []
    assert failed(tmp_path, suite, warnings=["two-cond", "more"]) == ["warnings"]
    assert failed(tmp_path, suite, warnings=["^another"]) == ["warnings"]


def test_the_rewrite_of_an_untrimmed_object_is_suppressed(tmp_path: Path) -> None:
    suite = bent(SUITE, "cases", 0, "oldObject", to={**WIDGET, "status": TRIMMED})
    assert failed(tmp_path, suite, outcome="Suppressed", status=TRIMMED) == []


# --- what must hold for every case ------------------------------------------------------------------------------------


def engine(*decisions: Decision | Exception) -> Evaluate:
    """Another engine, that decides so call after call: the real one has none of these faults to show."""
    remaining = list(decisions)

    def evaluate(policies: PolicySet, attributes: Attributes, now: int) -> Decision:
        decision = remaining.pop(0)
        if isinstance(decision, Exception):
            raise decision
        return decision

    return evaluate


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


# --- files ------------------------------------------------------------------------------------------------------------


def test_a_file_that_cannot_be_read_is_a_failed_case(tmp_path: Path) -> None:
    only = result(tmp_path, bent(SUITE, "kinds", to=1))
    assert not only.passed
    assert only.source.startswith(f"{tmp_path}/s.suite.yaml:")


def test_finds_suites_by_name_and_by_kind(tmp_path: Path) -> None:
    (tmp_path / "deep" / ".hidden").mkdir(parents=True)
    expected = [
        written(tmp_path, "a.suite.yaml", SUITE),
        written(tmp_path, "b.yaml", "apiVersion: statuscap.dev/v1alpha1\nkind: Suite # of two\n"),
        written(tmp_path / "deep", "c.suite.yaml", SUITE),
    ]
    written(tmp_path, "policy.yaml", POLICY)
    written(tmp_path, "notes.txt", "kind: Suite")
    written(tmp_path / "deep" / ".hidden", "d.suite.yaml", SUITE)
    assert find_suites([str(tmp_path)]) == expected
    assert find_suites([str(expected[0]), str(tmp_path)]) == expected


@pytest.mark.parametrize(("name", "message"), [("none", "there is no such file"), (".", "there is no suite in it")])
def test_says_when_there_is_nothing_to_run(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        find_suites([str(tmp_path / name)])


def test_managed_fields_are_compared_whole(tmp_path: Path) -> None:
    entry = {"manager": "m", "operation": "Update", "fieldsType": "FieldsV1", "fieldsV1": {"f:status": {}}}
    suite = bent(SUITE, "cases", 0, "object", "metadata", "managedFields", to=[entry])
    assert failed(tmp_path, suite, managedFields=[entry]) == []
    assert failed(tmp_path, suite, managedFields=[{**entry, "manager": "n"}]) == ["metadata.managedFields"]


def test_a_schema_is_remarked_once_a_suite_since_nothing_uses_it_yet(tmp_path: Path) -> None:
    given = {**SUITE, "schema": {"type": "object"}, "cases": SUITE["cases"] * 2}
    ran = run_file(written(tmp_path, "s.suite.yaml", given, given, SUITE), now=0)
    assert ran.remarks == (SCHEMA_NOT_USED, SCHEMA_NOT_USED)
    assert [case.passed for case in ran.cases] == [True] * 5
