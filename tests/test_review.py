"""AdmissionReview on the wire."""

import base64
import json
from typing import Any

import msgspec
import pytest
from msgspec import Raw

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision, Op, Outcome, PolicyReport, Reason, StepReport, skipped, unchanged
from admission.errors import ReviewError
from admission.review import (
    PREFIX_SIZE,
    Ends,
    decode,
    decode_ends,
    encode_answer,
    encode_patch,
    is_compact,
    uid_in_prefix,
)
from tests.review_sample import UID, USER, custom_resource, go_json, request, review

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


# --- in ---


def test_reads_the_facts_of_a_status_write() -> None:
    attributes = decode(review())
    assert attributes == Attributes(
        uid=UID,
        operation="UPDATE",
        group="batch.volcano.sh",
        version="v1alpha1",
        resource="jobs",
        subresource="status",
        name="train-mpi",
        namespace="research",
        submitted=attributes.submitted,
        stored=attributes.stored,
        kind="Job",
        user=USER,
        field_manager="vc-controller-manager",
        request_dry_run=False,
        compact=True,
        opened=attributes.opened,
    )


def test_objects_stay_the_bytes_they_came_in() -> None:
    attributes = decode(review())
    assert bytes(attributes.submitted) + b"\n" == go_json(custom_resource(conditions=4))
    assert attributes.stored is not None
    assert bytes(attributes.stored) + b"\n" == go_json(custom_resource(conditions=3))


def test_objects_in_gos_form_are_opened_one_level_on_the_way() -> None:
    attributes = decode(review())
    assert [raw for raw, _ in attributes.opened] == [attributes.submitted, attributes.stored]
    for raw, members in attributes.opened:
        assert members == msgspec.json.decode(raw, type=dict[str, Raw])


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(review().replace(b'":', b'": '), id="blanks"),
        pytest.param(review(object={"a<b": 1, "status": {}}), id="a member whose name is escaped"),
        pytest.param(review(object={'a"b': 1, "status": {}}), id="a member with a quote in its name"),
        pytest.param(review(object=[1]), id="no object"),
    ],
)
def test_objects_that_would_not_be_written_as_they_were_stay_closed(body: bytes) -> None:
    attributes = decode(body)
    assert attributes.opened == ()
    assert bytes(attributes.submitted) in body


@pytest.mark.parametrize(
    ("changes", "field", "expected"),
    [
        pytest.param({"dryRun": True}, "request_dry_run", True, id="the caller's dry run"),
        pytest.param({"dryRun": None}, "request_dry_run", False, id="no word on dry run"),
        pytest.param({"subResource": None}, "subresource", "", id="the main resource"),
        pytest.param({"namespace": None}, "namespace", "", id="a cluster-scoped object"),
        pytest.param({"name": None}, "name", "", id="a generated name"),
        pytest.param({"oldObject": None}, "stored", None, id="nothing is stored yet"),
        pytest.param(
            {"object": None, "operation": "DELETE"}, "submitted", Raw(b"null"), id="a deletion submits nothing"
        ),
        pytest.param({"options": None}, "field_manager", None, id="no options"),
        pytest.param({"options": {"kind": "UpdateOptions"}}, "field_manager", "", id="an unnamed field manager"),
        pytest.param({"userInfo": {}}, "user", "", id="an unnamed user"),
        pytest.param({"futureField": {"a": [1]}}, "name", "train-mpi", id="fields of a later API server"),
    ],
)
def test_reads_what_differs(changes: dict[str, Any], field: str, expected: object) -> None:
    assert getattr(decode(review(**changes)), field) == expected


def test_a_null_old_object_is_none() -> None:
    body = review(oldObject="NULL").replace(b'"oldObject":"NULL"', b'"oldObject":null')
    assert decode(body).stored is None


def test_null_options_are_no_options() -> None:
    assert decode(review(options="X").replace(b'"options":"X"', b'"options":null')).field_manager is None


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"not json", id="text"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b"{}", id="no members"),
        pytest.param(b"null", id="null"),
        pytest.param(review()[:-20], id="cut off"),
        pytest.param(review() + b"x", id="something behind it"),
        pytest.param(review(uid=""), id="an empty uid"),
        pytest.param(review(uid=None), id="no uid"),
        pytest.param(review(uid=7), id="a number as uid"),
        pytest.param(review(operation=None), id="no operation"),
        pytest.param(review(resource=None), id="no resource"),
        pytest.param(review().replace(b"admission.k8s.io/v1", b"admission.k8s.io/v1beta1"), id="an older version"),
        pytest.param(review().replace(b'"AdmissionReview"', b'"Status"'), id="another kind"),
        pytest.param(b'{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}', id="no request"),
        pytest.param(review(name="caf\xe9").replace("caf\xe9".encode(), b"caf\xe9"), id="bad UTF-8 in the envelope"),
    ],
)
def test_refuses_what_is_no_review(body: bytes) -> None:
    with pytest.raises(ReviewError) as caught:
        decode(body)
    assert caught.value.status == 400
    assert str(caught.value)


def test_only_the_api_servers_own_form_is_compact() -> None:
    indented = json.dumps({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": request()})
    assert is_compact(review())
    assert not is_compact(indented.encode())
    for mark in ("<", ">", "&", "\u2028", "\u2029"):
        assert not is_compact(review().replace(b"vc-controller-manager", mark.encode())), mark
    assert decode(indented.encode()).compact is False


@pytest.mark.parametrize(
    ("body", "uid"),
    [
        pytest.param(review()[:200], UID, id="cut off behind the uid"),
        pytest.param(b'{ "request" : {\n "uid" : "a-1", "x": [[[', "a-1", id="blanks"),
        pytest.param(review()[:80], None, id="cut off before the uid"),
        pytest.param(b" " * PREFIX_SIZE + review(), None, id="beyond the prefix"),
        pytest.param(b'{"request":{"uid":"\xff"', None, id="not ASCII"),
        pytest.param(b'{"request":{"uid":"a\\"b"', None, id="an escape"),
        pytest.param(b'{"request":{"name":"{\\"request\\":{\\"uid\\":\\"fake\\"', None, id="a uid in a string"),
        pytest.param(b"", None, id="empty"),
    ],
)
def test_finds_the_uid_of_what_cannot_be_decoded(body: bytes, uid: str | None) -> None:
    assert uid_in_prefix(body) == uid


# --- out ---


OBJECTS = ("submitted", "stored")


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({}, id="a status write"),
        pytest.param({"object": custom_resource(2_000)}, id="a large object"),
        pytest.param({"oldObject": None, "operation": "CREATE"}, id="no stored object"),
        pytest.param({"object": None, "operation": "DELETE"}, id="no submitted object"),
        pytest.param({"dryRun": True}, id="a dry run"),
        pytest.param({"dryRun": None, "options": None}, id="nothing behind the objects"),
        pytest.param({"options": None}, id="no options"),
        pytest.param(
            {"dryRun": True, "options": {"dryRun": ["All"], "kind": "UpdateOptions"}}, id="options say so too"
        ),
        pytest.param({"options": {"fieldManager": 'x","dryRun":true,"'}}, id="a name that looks like a member"),
        pytest.param({"userInfo": {"username": 'x","object":{}'}}, id="a user that looks like a member"),
        pytest.param(
            {"object": custom_resource() | {"zz": {"a": 1, "dryRun": True}}}, id="an object with such members"
        ),
    ],
)
def test_the_ends_of_a_review_tell_its_facts(changes: dict[str, Any]) -> None:
    body = review(**changes)
    whole, read = decode(body), decode_ends(Ends.of(body))
    assert (bytes(read.submitted), read.stored) == (b"null", None)
    facts = [name for name in Attributes.__struct_fields__ if name not in (*OBJECTS, "compact", "opened")]
    assert [getattr(read, name) for name in facts] == [getattr(whole, name) for name in facts]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(review()[:300], id="cut off before the objects"),
        pytest.param(
            review(userInfo={"username": "x", "extra": {"a": [], "object": []}}), id="an object in the extras"
        ),
        pytest.param(review(userInfo={"username": "x", "groups": ["g" * 9_000]}), id="too long before the objects"),
    ],
)
def test_ends_that_do_not_tell_are_refused(body: bytes) -> None:
    with pytest.raises(ReviewError):
        decode_ends(Ends.of(body))


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
