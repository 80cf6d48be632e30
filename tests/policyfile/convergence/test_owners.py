"""Managers of samples are those that the API server would keep."""

from __future__ import annotations

from admission.engine.schema import Schema
from admission.policyfile.convergence.owners import MANAGER, managers
from tests.engine.build import Json, at

STATUS: Json = {
    "phase": "a",
    "nodes": {"n1": {"x": 1}},
    "conditions": [{"type": "Ready", "status": "True"}],
    "s": ["b"],
}
KEYED: Json = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"]}
SCHEMA: Json = {"properties": {"status": {"properties": {"conditions": KEYED, "s": {"x-kubernetes-list-type": "set"}}}}}


def test_lists_are_owned_whole_where_nothing_tells_their_items_apart() -> None:
    (entry,) = managers({"apiVersion": "g/v1", "spec": {}, "status": STATUS}, ["status"], None, at(3))
    assert entry == {
        "manager": MANAGER,
        "operation": "Update",
        "apiVersion": "g/v1",
        "time": at(3),
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:status": {"f:phase": {}, "f:nodes": {"f:n1": {"f:x": {}}}, "f:conditions": {}, "f:s": {}}},
    }


def test_items_are_owned_one_by_one_where_a_schema_tells_them_apart() -> None:
    (entry,) = managers({"status": STATUS}, ["status", "results"], Schema.of(SCHEMA), at(3))
    assert entry["fieldsV1"]["f:status"]["f:conditions"] == {
        'k:{"type":"Ready"}': {".": {}, "f:type": {}, "f:status": {}}
    }
    assert entry["fieldsV1"]["f:status"]["f:s"] == {'v:"b"': {}}


def test_a_list_with_an_item_that_lacks_its_key_is_owned_whole() -> None:
    (entry,) = managers({"status": {"conditions": [{}]}}, ["status"], Schema.of(SCHEMA), at(3))
    assert entry["fieldsV1"] == {"f:status": {"f:conditions": {}}}
