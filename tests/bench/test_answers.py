"""A subject that does not do its work is found out."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.bench.answers import WrongAnswerError, check
from tests.bench.bodies import Variant, bodies, uid
from tests.bench.product import handler

TO_TRIM, COMPLIANT = (next(body for body in bodies(["small"]) if body.variant is variant) for variant in Variant)
UID = uid(7)
Response = dict[str, Any]


def right_answer() -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(handler().mutate(TO_TRIM.review(UID)).body)
    return answer


def bent(bend: Callable[[Response], object]) -> bytes:
    answer = right_answer()
    bend(answer["response"])
    return json.dumps(answer).encode()


def patch_of(*operations: dict[str, Any]) -> str:
    return base64.b64encode(json.dumps(operations).encode()).decode()


def rewritten(**changes: Any) -> Callable[[Response], object]:
    """A right answer whose patch has one more operation on the oldest condition that is left."""
    return lambda response: response.update(
        patch=patch_of(*json.loads(base64.b64decode(response["patch"])), {"op": "replace", **changes})
    )


def test_the_products_answers_are_right() -> None:
    for body in bodies():
        check(200, handler().mutate(body.review(UID)).body, UID, body, trims=True)


def test_a_subject_that_only_allows_is_right_when_it_has_nothing_to_trim() -> None:
    allowed = {
        "kind": "AdmissionReview",
        "apiVersion": "admission.k8s.io/v1",
        "response": {"uid": UID, "allowed": True},
    }
    check(200, json.dumps(allowed).encode(), UID, TO_TRIM, trims=False)
    check(200, json.dumps(allowed).encode(), UID, COMPLIANT, trims=True)


@pytest.mark.parametrize(
    ("bend", "complaint"),
    [
        pytest.param(lambda r: r.update(uid=uid(8)), "uid", id="another uid"),
        pytest.param(lambda r: r.update(allowed=False), "not allowed", id="refused"),
        pytest.param(lambda r: (r.pop("patch"), r.pop("patchType")), "no JSON Patch", id="shed or not trimmed"),
        pytest.param(lambda r: r.update(patch="!"), "does not apply", id="a patch that is no base64"),
        pytest.param(lambda r: r.update(patch=patch_of()), "30 conditions", id="a patch that does nothing"),
        pytest.param(
            lambda r: r.update(patch=patch_of({"op": "remove", "path": "/status/nothing"})),
            "does not apply",
            id="a patch that does not apply",
        ),
        pytest.param(
            lambda r: r.update(
                patch=patch_of(*({"op": "remove", "path": f"/status/conditions/{n}"} for n in range(29, 9, -1)))
            ),
            "another condition",
            id="the oldest stay instead of the newest",
        ),
        pytest.param(
            lambda r: r.update(
                patch=patch_of(*({"op": "remove", "path": f"/status/conditions/{n}"} for n in range(19, -1, -1)))
            ),
            "too long",
            id="messages are not cut",
        ),
        pytest.param(
            rewritten(path="/status/conditions/0/message", value="x"), "short message", id="a short message is cut"
        ),
        pytest.param(rewritten(path="/spec/replicas", value=0), "spec", id="the spec is touched"),
        pytest.param(
            rewritten(path="/status/conditions/0/status", value="False"), "another condition", id="a status is flipped"
        ),
    ],
)
def test_a_wrong_answer_is_refused(bend: Callable[[Response], object], complaint: str) -> None:
    with pytest.raises(WrongAnswerError, match=complaint):
        check(200, bent(bend), UID, TO_TRIM, trims=True)


def test_a_patch_where_nothing_is_to_be_trimmed_is_refused() -> None:
    with pytest.raises(WrongAnswerError, match="nothing is to be trimmed"):
        check(200, json.dumps(right_answer()).encode(), UID, COMPLIANT, trims=True)


@pytest.mark.parametrize(
    ("status", "answer", "complaint"),
    [
        (413, b"too large", "HTTP status 413"),
        (200, b"<html>", "no JSON"),
        (200, b'{"kind":"Status"}', "no AdmissionReview"),
        (200, b'{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1"}', "admission.k8s.io/v1"),
        (200, b'{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}', "no response"),
    ],
)
def test_what_is_no_review_is_refused(status: int, answer: bytes, complaint: str) -> None:
    with pytest.raises(WrongAnswerError, match=complaint):
        check(status, answer, UID, TO_TRIM, trims=True)
