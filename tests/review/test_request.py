"""Reviews that ask."""

import json
from typing import Any

import msgspec
import pytest
from msgspec import Raw

from admission.engine.attributes import Attributes
from admission.errors import ReviewError
from admission.review.request import decode, is_compact
from tests.review_sample import UID, USER, custom_resource, go_json, request, review


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
