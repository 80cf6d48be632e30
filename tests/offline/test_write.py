"""A write is the request that the API server would send, and bending it leaves the rest as it is."""

import json
from typing import Any

import pytest

from admission.engine.values import NULL, Object
from admission.errors import DocumentError
from admission.offline.gojson import encode, tree_of_json
from admission.offline.resource import Resource
from admission.offline.write import Write, group_version, identity, kind_of
from tests.offline.rehearsing import widget
from tests.offline.samples import TRIMMED, WIDGET


def tree(document: Any) -> Object:
    found = tree_of_json(json.dumps(document).encode())
    assert isinstance(found, dict)
    return found


def request(write: Write) -> dict[str, Any]:
    sent: dict[str, Any] = json.loads(write.review())["request"]
    return sent


def test_the_request_is_taken_from_the_object_and_its_resource() -> None:
    sent = request(widget())
    assert sent["kind"] == {"group": "example.com", "version": "v1", "kind": "Widget"}
    assert sent["resource"] == {"group": "example.com", "version": "v1", "resource": "widgets"}
    assert (sent["subResource"], sent["name"], sent["namespace"]) == ("status", "w1", "team-a")
    assert (sent["operation"], sent["dryRun"], sent["object"], sent["oldObject"]) == ("UPDATE", False, WIDGET, None)


def test_members_stand_in_the_order_of_the_api_server() -> None:
    sent = list(request(widget().with_field_manager("m").with_name("zzz", "later")))
    assert sent[:4] == ["uid", "kind", "resource", "subResource"]
    assert sent[-4:] == ["oldObject", "dryRun", "options", "zzz"]


def test_an_object_without_a_name_takes_that_of_the_stored_one() -> None:
    bare = tree({**WIDGET, "metadata": {}})
    sent = request(Write.of(bare, Resource("example.com", "widgets"), stored=tree(WIDGET)))
    assert (sent["name"], sent["namespace"]) == ("w1", "team-a")
    assert "subResource" not in sent


@pytest.mark.parametrize(
    ("bent", "key", "value"),
    [
        pytest.param(widget().with_user("jo"), "userInfo", {"username": "jo"}, id="user"),
        pytest.param(widget().with_field_manager("m"), "options", {"fieldManager": "m"}, id="field manager"),
        pytest.param(widget().with_dry_run(request_dry_run=True), "dryRun", True, id="request_dry_run"),
        pytest.param(widget().with_name("namespace", "b"), "namespace", "b", id="namespace"),
        pytest.param(widget().with_stored(tree(WIDGET)), "oldObject", WIDGET, id="stored object"),
    ],
)
def test_bending_a_write_changes_one_member(bent: Write, key: str, value: Any) -> None:
    assert request(bent) == {**request(widget()), key: value}


@pytest.mark.parametrize(
    ("metadata", "title"),
    [
        pytest.param({"name": "w1", "namespace": "team-a"}, "widgets.example.com team-a/w1", id="namespaced"),
        pytest.param({"name": "w1"}, "widgets.example.com w1", id="cluster-scoped"),
        pytest.param({"generateName": "w-"}, "widgets.example.com w-", id="a name that is still to be made"),
        pytest.param({}, "widgets.example.com (unnamed)", id="no name"),
    ],
)
def test_the_title_says_what_is_written(metadata: dict[str, str], title: str) -> None:
    assert widget(metadata=metadata).title == title


def test_a_request_without_an_object_cannot_be_evaluated() -> None:
    deleted = Write({**widget().request, "object": NULL}, "d.json")
    with pytest.raises(DocumentError, match=r"^d\.json: the request has no object"):
        _ = deleted.submitted
    assert deleted.title == "widgets.example.com team-a/w1"


# --- the next write ---------------------------------------------------------------------------------------------------


def test_the_rewrite_of_a_status_keeps_everything_else_as_it_is_stored() -> None:
    stored = tree({**WIDGET, "spec": {"size": 1}})
    owned = {"name": "w1", "managedFields": []}
    result = tree({**WIDGET, "spec": {"size": 2}, "metadata": owned, "status": TRIMMED})
    again = request(widget().with_stored(stored).rewritten(result))
    assert again["object"] == again["oldObject"]
    assert again["object"]["spec"] == {"size": 1}
    assert again["object"]["status"] == TRIMMED
    assert again["object"]["metadata"] == {**WIDGET["metadata"], "managedFields": []}


def test_the_rewrite_of_a_whole_object_is_its_result() -> None:
    write = Write.of(tree(WIDGET), Resource("example.com", "widgets"), operation="CREATE")
    again = request(write.rewritten(tree({**WIDGET, "status": TRIMMED})))
    assert again["operation"] == "UPDATE"
    assert again["object"] == again["oldObject"] == {**WIDGET, "status": TRIMMED}


# --- who an object is -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        pytest.param(WIDGET, ("example.com", "Widget", "team-a", "w1"), id="a custom resource"),
        pytest.param({"apiVersion": "v1", "kind": "Pod"}, ("", "Pod", "", ""), id="the core group, without a name"),
        pytest.param({"kind": None, "metadata": []}, ("", "", "", ""), id="nothing that could be read"),
    ],
)
def test_who_an_object_is(document: dict[str, Any], expected: tuple[str, ...]) -> None:
    assert identity(tree(document)) == expected
    assert kind_of(tree(document)) == expected[1]


def test_a_version_stands_behind_its_group() -> None:
    assert group_version(tree(WIDGET)) == ("example.com", "v1")


def test_values_are_sent_as_they_are_written() -> None:
    write = widget(n=1)
    write.submitted["n"] = tree_of_json(b"1.0")
    assert b'"n":1.0' in write.review()
    assert encode(write.submitted) in write.review()
