"""Reviews that answer."""

import base64
import json
from typing import Any

import pytest

from admission.engine.decision import Decision, Op, Outcome, PolicyReport, Reason, StepReport, skipped, unchanged
from admission.review.answer import encode_answer, encode_patch
from tests.review_sample import UID

TRIMMED = Decision(
    Outcome.TRIMMED,
    policies=(
        PolicyReport(
            "cap", "Enforce", Outcome.TRIMMED, steps=(StepReport("capList", "status.conditions", True, 2, 80),)
        ),
        PolicyReport("watch", "DryRun", Outcome.UNCHANGED),
    ),
    patch=(Op("remove", "/status/conditions/0"), Op("replace", "/status/a~1b", b'{"n": 1.0e21}')),
    bytes_before=500,
    bytes_after=420,
)


def response_of(decision: Decision) -> dict[str, Any]:
    answer = json.loads(encode_answer(UID, decision))
    assert (answer["kind"], answer["apiVersion"]) == ("AdmissionReview", "admission.k8s.io/v1")
    response: dict[str, Any] = answer["response"]
    assert response["uid"] == UID
    return response


def test_allows_with_nothing_but_the_uid() -> None:
    assert response_of(unchanged(Reason.NO_POLICY)) == {"uid": UID, "allowed": True}


def test_sends_the_patch_in_base64() -> None:
    response = response_of(TRIMMED)
    assert (response["allowed"], response["patchType"]) == (True, "JSONPatch")
    assert json.loads(base64.b64decode(response["patch"])) == [
        {"op": "remove", "path": "/status/conditions/0"},
        {"op": "replace", "path": "/status/a~1b", "value": {"n": 1.0e21}},
    ]


def test_values_of_a_patch_are_the_bytes_they_came_in() -> None:
    assert encode_patch(TRIMMED.patch).endswith(b'"value":{"n": 1.0e21}}]')


def test_pointers_are_escaped_as_json() -> None:
    assert encode_patch([Op("remove", '/status/"é\\')]) == '[{"op":"remove","path":"/status/\\"é\\\\"}]'.encode()


def test_annotates_the_audit_log_when_a_policy_matched() -> None:
    assert response_of(TRIMMED)["auditAnnotations"] == {
        "outcome": "Trimmed",
        "policies": "cap,watch",
        "bytes-removed": "80",
    }


def test_what_was_only_observed_removed_nothing() -> None:
    observed = Decision(Outcome.WOULD_TRIM, policies=TRIMMED.policies, bytes_before=100, bytes_after=20)
    assert response_of(observed)["auditAnnotations"]["bytes-removed"] == "0"


def test_annotation_keys_are_ones_that_the_api_server_keeps() -> None:
    assert all(len(key) <= 63 and "/" not in key for key in response_of(TRIMMED)["auditAnnotations"])


def test_an_answer_that_grew_did_not_remove_bytes() -> None:
    restored = Decision(Outcome.SUPPRESSED, policies=TRIMMED.policies, patch=TRIMMED.patch, bytes_after=9)
    assert response_of(restored)["auditAnnotations"]["bytes-removed"] == "0"


def test_passes_warnings_on() -> None:
    assert response_of(Decision(Outcome.WOULD_TRIM, warnings=("would remove 2",)))["warnings"] == ["would remove 2"]


def test_rejects_with_a_code_that_keeps_the_message() -> None:
    response = response_of(Decision(Outcome.REJECTED, message="status is 2 MiB, at most 1 MiB", warnings=("w",)))
    assert response["allowed"] is False
    assert response["status"] == {
        "code": 413,
        "reason": "RequestEntityTooLarge",
        "message": "status is 2 MiB, at most 1 MiB",
    }
    assert "patch" not in response
    assert response["warnings"] == ["w"]


@pytest.mark.parametrize("reason", [Reason.FAULT, Reason.SHED])
def test_allows_what_was_skipped(reason: Reason) -> None:
    assert response_of(skipped(reason)) == {"uid": UID, "allowed": True}
