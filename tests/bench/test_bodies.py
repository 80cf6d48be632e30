"""What is measured is what the API server sends: sizes, form, and two variants that differ in what there is to do."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from admission.review.request import is_compact
from tests.bench.bodies import KEPT_CONDITIONS, MESSAGE_BYTES, PREFIX, SUBMITTED_CONDITIONS, Body, Variant, bodies, uid
from tests.bench.product import handler
from tests.review_sample import go_json

BODIES = bodies()
EVERY_BODY = pytest.mark.parametrize("body", BODIES, ids=lambda body: body.name)


def request_of(body: Body) -> dict[str, Any]:
    request: dict[str, Any] = json.loads(body.template)["request"]
    return request


def objects(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        return [value, *(found for member in value.values() for found in objects(member))]
    return [found for item in value for found in objects(item)] if isinstance(value, list) else []


def messages(status: dict[str, Any]) -> list[int]:
    return [len(condition["message"].encode()) for condition in status["conditions"]]


@pytest.mark.parametrize(("size", "expected"), [("small", 6_400), ("mid", 65_500), ("big", 1_200_000)])
def test_both_variants_of_a_size_weigh_about_the_same(size: str, expected: int) -> None:
    assert [body.variant for body in bodies([size])] == [*Variant]
    for body in bodies([size]):
        assert abs(body.length - expected) < 0.06 * expected


@EVERY_BODY
def test_a_body_starts_as_the_api_server_writes_it(body: Body) -> None:
    review = body.review(uid(1))
    assert review.startswith(PREFIX + uid(1).encode() + b'","kind":{')
    assert is_compact(review)


@EVERY_BODY
def test_a_body_is_in_the_form_of_gos_encoder(body: Body) -> None:
    assert go_json(json.loads(body.template)) == body.template
    assert not re.search(rb"[<>&]", body.template)
    assert b"\\u0026" in body.template


@EVERY_BODY
def test_members_of_objects_are_sorted_as_go_writes_maps(body: Body) -> None:
    request = request_of(body)
    for found in objects(request["object"]) + objects(request["oldObject"]):
        assert list(found) == sorted(found)


@EVERY_BODY
def test_only_the_uid_differs_between_two_requests(body: Body) -> None:
    one, other = body.review(uid(1)), body.review(uid(2))
    assert one != other
    assert len(one) == len(other) == body.length
    assert one.replace(uid(1).encode(), uid(2).encode()) == other


def test_uids_are_fresh_and_look_like_uuids() -> None:
    found = {uid(number) for number in range(300)}
    assert len(found) == 300
    assert all(re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}", text) for text in found)


@EVERY_BODY
def test_the_variants_differ_in_what_there_is_to_do(body: Body) -> None:
    status = body.submitted["status"]
    if body.variant is Variant.TO_TRIM:
        assert len(status["conditions"]) == SUBMITTED_CONDITIONS
        assert any(length > MESSAGE_BYTES for length in messages(status)[-KEPT_CONDITIONS:])
    else:
        assert len(status["conditions"]) == KEPT_CONDITIONS
        assert max(messages(status)) <= MESSAGE_BYTES


@EVERY_BODY
def test_the_stored_status_is_compliant_and_another_one(body: Body) -> None:
    stored = request_of(body)["oldObject"]["status"]
    assert 1 <= len(stored["conditions"]) <= KEPT_CONDITIONS
    assert max(messages(stored)) <= MESSAGE_BYTES
    assert stored["conditions"] != body.submitted["status"]["conditions"][-KEPT_CONDITIONS:]


@EVERY_BODY
def test_managed_fields_own_every_member_of_the_status(body: Body) -> None:
    for name in ("object", "oldObject"):
        found = request_of(body)[name]
        owned = found["metadata"]["managedFields"][-1]["fieldsV1"]["f:status"]
        assert {member.removeprefix("f:") for member in owned} - {"."} == set(found["status"])


@EVERY_BODY
def test_the_product_decides_as_the_variant_says(body: Body) -> None:
    answer = handler().mutate(body.review(uid(1)))
    assert answer.fault is None
    assert answer.decision is not None
    assert bool(answer.decision.patch) is (body.variant is Variant.TO_TRIM)
    assert [report.name for report in answer.decision.policies] == ["bench-conditions"]
