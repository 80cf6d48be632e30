"""What is in etcd after a write that is too long, whatever the verb and the shape of the kind."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.controlplane.client import ApiClient
from tests.controlplane.objects import GADGETS, NOSUBS, WIDGETS
from tests.controlplane.resources import Resource
from tests.e2e.etcd import record, stored
from tests.e2e.objects import KEPT, LONGEST, SENT, SPEC, conditions, history, keyed_conditions, made
from tests.e2e.product import Statuscap
from tests.e2e.verbs import VERBS, Verb, merge_patch

Json = dict[str, Any]

LONG: Json = {
    "phase": "Running",
    "conditions": conditions(),
    "conditionsMap": keyed_conditions(),
    "history": history(),
    "tags": ["a", "b"],
}
SHORT: Json = {
    **LONG,
    "conditions": LONG["conditions"][-KEPT:],
    "conditionsMap": LONG["conditionsMap"][-KEPT:],
    "history": LONG["history"][-KEPT:],
}
every_verb = pytest.mark.parametrize("verb", VERBS.values(), ids=[*VERBS])
both_kinds = pytest.mark.parametrize("kind", [GADGETS, WIDGETS], ids=["typed", "preserve-unknown"])


@both_kinds
@every_verb
async def test_a_status_that_is_too_long_reaches_etcd_trimmed(
    client: ApiClient, namespace: str, kind: Resource, verb: Verb
) -> None:
    resource = kind.inside(namespace)
    await client.create(resource, made(kind, "long"))
    answer = await verb(client, resource, "long", LONG)
    assert (answer.status, answer.body["status"]) == (200, SHORT)
    in_etcd = await stored(client, resource, "long")
    assert in_etcd["status"] == SHORT
    assert in_etcd["spec"] == SPEC


@every_verb
async def test_a_status_within_the_limits_reaches_etcd_as_it_is(client: ApiClient, namespace: str, verb: Verb) -> None:
    resource = GADGETS.inside(namespace)
    await client.create(resource, made(GADGETS, "short"))
    assert (await verb(client, resource, "short", SHORT)).status == 200
    assert (await stored(client, resource, "short"))["status"] == SHORT


async def test_a_long_message_is_cut_with_a_marker(client: ApiClient, namespace: str) -> None:
    resource = WIDGETS.inside(namespace)
    await client.create(resource, made(WIDGETS, "talks"))
    await merge_patch(client, resource, "talks", {"message": "x" * 5000})
    message = (await stored(client, resource, "talks"))["status"]["message"]
    assert message.startswith("xxx")
    assert message.endswith(" bytes cut]")
    assert len(message.encode()) <= LONGEST


async def test_numbers_come_out_as_they_went_in(client: ApiClient, namespace: str) -> None:
    resource = WIDGETS.inside(namespace)
    await client.create(resource, made(WIDGETS, "counts"))
    numbers = b'"big": 9007199254740993, "tiny": 1e-7, "float": 1.0, "null": null, "no": false'
    status = b'{"status": {%s, "history": %s}}' % (numbers, json.dumps(history()).encode())
    assert (await client.merge_patch(resource, "counts", status, subresource="status")).status == 200
    value = (await record(client, resource, "counts")).value
    assert b'"big":9007199254740993,' in value
    assert len(json.loads(value)["status"]["history"]) == KEPT


async def test_a_kind_without_status_subresource_is_trimmed_when_it_is_created(
    client: ApiClient, namespace: str
) -> None:
    resource = NOSUBS.inside(namespace)
    answer = await client.create(resource, made(NOSUBS, "born-long", status=LONG))
    assert answer.status == 201
    assert (await stored(client, resource, "born-long"))["status"] == SHORT


@every_verb
async def test_a_kind_without_status_subresource_is_trimmed_when_it_is_updated(
    client: ApiClient, namespace: str, verb: Verb
) -> None:
    resource = NOSUBS.inside(namespace)
    await client.create(resource, made(NOSUBS, "grows"))
    answer = await verb(client, resource, "grows", LONG, subresource="")
    assert answer.status == 200
    in_etcd = await stored(client, resource, "grows")
    assert (in_etcd["status"], in_etcd["spec"]) == (SHORT, SPEC)


async def test_an_edit_of_the_spec_alone_passes_untouched(client: ApiClient, namespace: str) -> None:
    resource = NOSUBS.inside(namespace)
    before = (await client.create(resource, made(NOSUBS, "edited", status=LONG))).body
    edited = await client.merge_patch(resource, "edited", {"spec": {"size": 2}}, field_manager="editor")
    assert edited.body["metadata"]["generation"] == before["metadata"]["generation"] + 1
    assert edited.body["status"] == SHORT
    assert owned(edited.body, "editor") == {"f:spec": {"f:size": {}}}


@pytest.mark.parametrize("rewrites", [False, True], ids=["a longer status", "the same untrimmed status again"])
async def test_an_edit_of_the_spec_together_with_a_long_status_keeps_the_edit_and_its_owner(
    client: ApiClient, namespace: str, rewrites: bool
) -> None:
    resource = NOSUBS.inside(namespace)
    before = (await client.create(resource, made(NOSUBS, "both", status=LONG))).body
    status = LONG if rewrites else {**LONG, "history": history(SENT + 1)}
    edited = await client.merge_patch(resource, "both", {"spec": {"size": 2}, "status": status}, field_manager="editor")
    in_etcd = await stored(client, resource, "both")
    assert edited.status == 200
    assert in_etcd["spec"] == {"size": 2}
    assert in_etcd["status"]["history"] == status["history"][-KEPT:]
    assert in_etcd["metadata"]["generation"] > before["metadata"]["generation"]
    assert owned(in_etcd, "editor")["f:spec"] == {"f:size": {}}


async def test_a_put_that_omits_spec_and_labels_is_trimmed_and_loses_neither(client: ApiClient, namespace: str) -> None:
    resource = GADGETS.inside(namespace)
    document = made(GADGETS, "lean")
    document["metadata"]["labels"] = {"team": "a"}
    live = (await client.create(resource, document)).body
    metadata = {"name": "lean", "resourceVersion": live["metadata"]["resourceVersion"]}
    lean = {"apiVersion": live["apiVersion"], "kind": live["kind"], "metadata": metadata, "status": LONG}
    assert (await client.replace(resource, lean, subresource="status")).status == 200
    in_etcd = await stored(client, resource, "lean")
    assert (in_etcd["status"], in_etcd["spec"]) == (SHORT, SPEC)
    assert in_etcd["metadata"]["labels"] == {"team": "a"}


async def test_a_put_without_a_status_still_removes_it(client: ApiClient, namespace: str) -> None:
    resource = GADGETS.inside(namespace)
    await client.create(resource, made(GADGETS, "emptied"))
    live = (await merge_patch(client, resource, "emptied", LONG)).body
    del live["status"]
    assert (await client.replace(resource, live, subresource="status")).status == 200
    assert "status" not in await stored(client, resource, "emptied")


async def test_a_status_that_cannot_be_read_is_allowed_counted_and_harms_no_later_write(
    client: ApiClient, product: Statuscap, namespace: str
) -> None:
    resource = WIDGETS.inside(namespace)
    await client.create(resource, made(WIDGETS, "deep"))
    before = faults(product)
    depth = 1500  # above the JSON reader's limit of about 1,000, below the API server's of 10,000
    deep = b'{"status": {"deep": %s}}' % (b'{"d":' * depth + b"1" + b"}" * depth)
    for body in (deep, {"status": {"deep": None}}, {"status": {"history": history()}}):
        assert (await client.merge_patch(resource, "deep", body, subresource="status")).status == 200
    assert (await stored(client, resource, "deep"))["status"] == {"history": history()[-KEPT:]}
    assert faults(product) > before


def faults(product: Statuscap) -> float:
    """Return how many reviews the product could not judge."""
    return sum(sample.value for sample in product.metrics("statuscap_errors_total"))


def owned(document: Json, manager: str) -> Json:
    """Return what a manager owns: the only entry of that name."""
    (fields,) = [entry["fieldsV1"] for entry in document["metadata"]["managedFields"] if entry["manager"] == manager]
    found: Json = fields
    return found
