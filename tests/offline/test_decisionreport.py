"""Decisions as JSON: in the words of the decision log, with the patch beside them."""

import json
from typing import Any

import pytest

from admission.engine.decision import Decision, Op, Outcome, PolicyReport, StepReport, Violation
from admission.offline.decisionreport import report
from tests.offline.rehearsing import rehearsed

STEP = StepReport("capConditions", "status.conditions", found=True, items=1, bytes=70)
TRIMMED = Decision(
    Outcome.TRIMMED,
    policies=(PolicyReport("two", "Enforce", Outcome.TRIMMED, steps=(STEP,)),),
    patch=(Op("replace", "/status/phase", b"1.0"),),
    bytes_before=260,
    bytes_after=190,
    object_bytes=400,
    warnings=("two: 1 item more",),
)
REJECTED = Decision(Outcome.REJECTED, message="status is 2 MiB, 512 KiB too much", bytes_before=9, bytes_after=9)
VIOLATED = Decision(Outcome.UNCHANGED, violations=(Violation("I5", "two", "it grew"),))


def told(*decisions: Decision | Exception) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(report([rehearsed(each) for each in decisions]))
    return read


@pytest.mark.parametrize(
    ("decision", "key", "value"),
    [
        pytest.param(TRIMMED, "resource", "widgets.example.com", id="what is written"),
        pytest.param(TRIMMED, "namespace", "team-a", id="where"),
        pytest.param(TRIMMED, "source", "w.json", id="the file that it is from"),
        pytest.param(TRIMMED, "outcome", "Trimmed", id="outcome"),
        pytest.param(TRIMMED, "bytesAfter", 190, id="sizes"),
        pytest.param(TRIMMED, "warnings", ["two: 1 item more"], id="warnings"),
        pytest.param(
            REJECTED, "status", {"code": 413, "message": "status is 2 MiB, 512 KiB too much"}, id="a rejection"
        ),
        pytest.param(
            Decision(Outcome.WOULD_REJECT, message="too big"), "message", "too big", id="a rejection that would be"
        ),
        pytest.param(ValueError("no such thing"), "fault", "engine: no such thing", id="a fault"),
        pytest.param(
            Decision(Outcome.TRIMMED, patch=(Op("remove", "/status/none"),)),
            "fault",
            "the patch does not apply: can't remove a non-existent object 'none'",
            id="a patch that does not apply",
        ),
        pytest.param(
            VIOLATED,
            "violations",
            [{"invariant": "I5", "policy": "two", "detail": "it grew", "step": ""}],
            id="an invariant that would have been broken",
        ),
    ],
)
def test_an_object_tells_what_became_of_it(decision: Decision | Exception, key: str, value: Any) -> None:
    assert told(decision)["objects"][0][key] == value


@pytest.mark.parametrize("key", ["status", "fault", "violations"])
def test_what_did_not_happen_is_not_told(key: str) -> None:
    assert key not in told(TRIMMED)["objects"][0]


def test_the_steps_stand_below_their_policy() -> None:
    (policy,) = told(TRIMMED)["objects"][0]["policies"]
    (step,) = policy["steps"]
    assert (policy["name"], policy["mode"], step["step"], step["items"], step["bytes"]) == (
        *("two", "Enforce", "capConditions", 1, 70),
    )


def test_every_key_is_written_as_in_the_decision_log() -> None:
    (policy,) = told(TRIMMED)["objects"][0]["policies"]
    assert [key for key in (*policy, *policy["steps"][0]) if "_" in key] == []
    assert "putBack" in policy["steps"][0]


def test_a_number_in_the_patch_stays_as_it_is_written() -> None:
    assert '"value": 1.0' in report([rehearsed(TRIMMED)])


def test_totals_count_outcomes_and_add_sizes() -> None:
    assert told(TRIMMED, TRIMMED, REJECTED)["totals"] == {
        "objects": 3,
        "outcomes": {"Trimmed": 2, "Rejected": 1},
        "bytesBefore": 529,
        "bytesAfter": 389,
    }
