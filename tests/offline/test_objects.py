"""Objects and reviews from files become the requests that the API server would send."""

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from admission.engine.match import Match, ResourceRule
from admission.engine.policy import Policy, PolicySet
from admission.errors import DocumentError, FileError, PolicyError
from admission.offline.objects import read_documents, stored_by_identity, with_stored, write_of
from admission.offline.resource import Resource
from admission.offline.write import Write
from admission.review.request import decode
from tests.offline.samples import POLICY, WIDGET, bent, written

POLICIES = PolicySet.of([Policy("p", Match((ResourceRule(("example.com",), ("widgets/status",)),)))])
REQUEST: dict[str, Any] = {
    "uid": "u-1",
    "kind": {"group": "example.com", "version": "v1", "kind": "Widget"},
    "resource": {"group": "example.com", "version": "v1", "resource": "widgets"},
    "subResource": "status",
    "name": "w1",
    "namespace": "team-a",
    "operation": "UPDATE",
    "userInfo": {"username": "controller", "groups": ["g"]},
    "object": WIDGET,
    "oldObject": None,
    "extra": 1,
}
REVIEW = {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": REQUEST}


def writes(text: bytes, resource: Resource | None = None) -> list[Write]:
    return [write_of(document, POLICIES, resource) for document in read_documents(["-"], io.BytesIO(text))]


def write(document: Any) -> Write:
    (only,) = writes(json.dumps(document).encode())
    return only


def test_a_bare_object_becomes_an_update_of_its_status() -> None:
    facts = decode(write(WIDGET).review())
    assert (facts.operation, facts.group, facts.version, facts.endpoint) == (
        "UPDATE",
        "example.com",
        "v1",
        "widgets/status",
    )
    assert (facts.kind, facts.namespace, facts.name, facts.stored) == ("Widget", "team-a", "w1", None)
    assert json.loads(bytes(facts.submitted)) == WIDGET
    assert facts.compact


@pytest.mark.parametrize("document", [REVIEW, REQUEST], ids=["a review", "its request alone"])
def test_a_review_keeps_its_facts(document: Any) -> None:
    review = write(document).review()
    facts = decode(review)
    assert (facts.uid, facts.user, facts.endpoint) == ("u-1", "controller", "widgets/status")
    assert json.loads(review) == REVIEW


def test_the_members_of_a_request_have_the_order_of_the_api_server() -> None:
    members = list(json.loads(write(bent(REVIEW, "request", to=dict(reversed(REQUEST.items())))).review())["request"])
    assert members == list(REQUEST)


@pytest.mark.parametrize("kind", ["List", "WidgetList"])
def test_a_list_stands_for_its_items(kind: str) -> None:
    items = [WIDGET, bent(WIDGET, "metadata", "name", to="w2")]
    if kind != "List":
        items = [{key: value for key, value in item.items() if key not in ("kind", "apiVersion")} for item in items]
    found = writes(
        json.dumps({"apiVersion": "v1" if kind == "List" else "example.com/v1", "kind": kind, "items": items}).encode()
    )
    assert [each.title for each in found] == ["widgets.example.com team-a/w1", "widgets.example.com team-a/w2"]


@pytest.mark.parametrize(
    ("metadata", "title"),
    [
        ({"name": "w1"}, "widgets.example.com w1"),
        ({"generateName": "w-"}, "widgets.example.com w-"),
        ({}, "widgets.example.com (unnamed)"),
    ],
)
def test_a_title_says_what_is_known(metadata: dict[str, str], title: str) -> None:
    assert write(bent(WIDGET, "metadata", to=metadata)).title == title


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "-: there is no object in it", id="nothing"),
        pytest.param("[1]", "-: a document is no object", id="a list"),
        pytest.param("a: [", "-:", id="broken"),
        pytest.param(
            json.dumps(bent(REVIEW, "apiVersion", to="admission.k8s.io/v1beta1")),
            "of admission.k8s.io/v1beta1; expected",
            id="v1beta1",
        ),
        pytest.param(json.dumps(bent(REVIEW, "request", to=None)), "without a request", id="no request"),
        pytest.param(json.dumps({"status": {}}), "an object has no kind", id="no kind"),
        pytest.param(json.dumps({"kind": "List", "items": [1]}), "an item of the List is no object", id="item"),
    ],
)
def test_says_what_is_wrong_with_a_file(text: str, message: str) -> None:
    with pytest.raises(DocumentError) as caught:
        writes(text.encode())
    assert message in str(caught.value)


def test_a_delete_has_nothing_to_evaluate() -> None:
    with pytest.raises(DocumentError, match="only CREATE and UPDATE"):
        _ = write(bent(REVIEW, "request", "object", to=None)).submitted


def test_a_policy_is_no_object() -> None:
    with pytest.raises(PolicyError, match="a StatusPolicy is no object to apply policies to; load it with -p"):
        write(POLICY)


def test_a_missing_file_is_told() -> None:
    with pytest.raises(FileError, match=r"none\.json: cannot be read: No such file"):
        list(read_documents(["none.json"], io.BytesIO()))


@pytest.mark.parametrize("name", ["", "folder", "pipe", "/dev/zero", "/proc/self/mem"])
def test_what_is_no_file_is_told_and_never_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match="cannot be read: "):
        list(read_documents([name], io.BytesIO()))


def test_the_standard_input_has_a_bound() -> None:
    with Path("/dev/zero").open("rb") as endless, pytest.raises(FileError, match="larger than 67108864 bytes"):
        list(read_documents(["-"], endless))


def test_a_named_resource_beats_the_rules() -> None:
    (found,) = writes(json.dumps(WIDGET).encode(), Resource("example.com", "gizmos"))
    assert decode(found.review()).endpoint == "gizmos"


def test_stored_objects_are_paired_by_name(tmp_path: Path) -> None:
    other = bent(WIDGET, "metadata", "name", to="w2")
    stored = stored_by_identity(read_documents([str(written(tmp_path, "old.yaml", WIDGET))], io.BytesIO()))
    first, second = with_stored([write(WIDGET), write(other)], stored)
    assert first.stored == first.submitted
    assert second.stored is None


@pytest.mark.parametrize(
    ("stored", "message"),
    [
        ([bent(WIDGET, "metadata", "name", to="w9")], "no submitted object belongs to the stored Widget/team-a/w9"),
        ([WIDGET, WIDGET], "team-a/w1 occurs twice"),
    ],
)
def test_a_stored_object_without_a_partner_is_a_mistake(tmp_path: Path, stored: list[Any], message: str) -> None:
    documents = read_documents([str(written(tmp_path, "old.yaml", *stored))], io.BytesIO())
    with pytest.raises(DocumentError, match=message):
        with_stored([write(WIDGET)], stored_by_identity(documents))


def test_who_writes_can_be_changed_and_the_rest_stays() -> None:
    info = json.loads(write(REVIEW).with_user("somebody").review())["request"]["userInfo"]
    assert info == {"username": "somebody", "groups": ["g"]}
