"""What a case names must hold exactly."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.offline.rehearsing import failed, result
from tests.offline.samples import SUITE, TRIMMED, WIDGET, bent

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


def test_managed_fields_are_compared_whole(tmp_path: Path) -> None:
    entry = {"manager": "m", "operation": "Update", "fieldsType": "FieldsV1", "fieldsV1": {"f:status": {}}}
    suite = bent(SUITE, "cases", 0, "object", "metadata", "managedFields", to=[entry])
    assert failed(tmp_path, suite, managedFields=[entry]) == []
    assert failed(tmp_path, suite, managedFields=[{**entry, "manager": "n"}]) == ["metadata.managedFields"]
