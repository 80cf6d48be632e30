"""Objects that the API server or etcd would refuse, and that freeze without the product."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.controlplane.client import ApiClient
from tests.controlplane.objects import GADGETS, MESSAGE_LIMIT, NOSUBS, WIDGETS
from tests.controlplane.resources import Resource
from tests.e2e.etcd import record, stored
from tests.e2e.objects import KEPT, LONGEST, conditions, history, made
from tests.e2e.product import Statuscap
from tests.e2e.verbs import VERBS, Verb, merge_patch

Json = dict[str, Any]

TOO_LONG = "x" * 40_000
HUGE: Json = {"conditions": conditions(200, message="y" * 10_000)}  # 2 MB; etcd takes 1.5 MiB
SMALL = 20_000  # bytes: ten conditions with messages of 1,024, and managedFields

every_verb = pytest.mark.parametrize("verb", VERBS.values(), ids=[*VERBS])
both_kinds = pytest.mark.parametrize("kind", [GADGETS, WIDGETS], ids=["typed", "preserve-unknown"])


@every_verb
async def test_a_message_beyond_the_schema_freezes_an_object(client: ApiClient, untouched: str, verb: Verb) -> None:
    resource = GADGETS.inside(untouched)
    await client.create(resource, made(GADGETS, "talks"))
    refused = await verb(client, resource, "talks", {"message": TOO_LONG})
    assert refused.status == 422
    # "longer" in v1.30, "more" in v1.36: k8s.io/apimachinery/pkg/util/validation/field/errors.go
    assert re.search(rf"message: Too long: may not be (longer|more) than {MESSAGE_LIMIT}", refused.body["message"])


@every_verb
async def test_a_message_beyond_the_schema_is_cut_and_stored(client: ApiClient, namespace: str, verb: Verb) -> None:
    resource = GADGETS.inside(namespace)
    await client.create(resource, made(GADGETS, "talks"))
    assert (await verb(client, resource, "talks", {"message": TOO_LONG})).status == 200
    message = (await stored(client, resource, "talks"))["status"]["message"]
    assert LONGEST - 8 <= len(message.encode()) <= LONGEST


@every_verb
async def test_a_status_of_two_megabytes_freezes_an_object(client: ApiClient, untouched: str, verb: Verb) -> None:
    resource = GADGETS.inside(untouched)
    await client.create(resource, made(GADGETS, "swells"))
    assert (await verb(client, resource, "swells", HUGE)).status == 500


@both_kinds
@every_verb
async def test_a_status_of_two_megabytes_is_trimmed_and_stored(
    client: ApiClient, namespace: str, kind: Resource, verb: Verb
) -> None:
    resource = kind.inside(namespace)
    await client.create(resource, made(kind, "swells"))
    assert (await verb(client, resource, "swells", HUGE)).status == 200
    assert len((await record(client, resource, "swells")).value) < SMALL
    assert len((await stored(client, resource, "swells"))["status"]["conditions"]) == KEPT


async def test_two_megabytes_of_a_kind_without_status_subresource_are_rescued_at_birth(
    client: ApiClient, namespace: str
) -> None:
    resource = NOSUBS.inside(namespace)
    assert (await client.create(resource, made(NOSUBS, "born-huge", status=HUGE))).status == 201
    assert len((await record(client, resource, "born-huge")).value) < SMALL


async def test_keys_that_occur_twice_are_no_matter_once_they_are_trimmed(client: ApiClient, namespace: str) -> None:
    resource = GADGETS.inside(namespace)
    await client.create(resource, made(GADGETS, "twice"))
    twice = {"history": [*history(3), *history(KEPT)]}
    assert (await merge_patch(client, resource, "twice", twice)).status == 200
    assert (await stored(client, resource, "twice"))["status"]["history"] == history(KEPT)


async def test_an_object_that_grew_before_the_product_came_shrinks_with_its_next_write(
    client: ApiClient, product: Statuscap, namespace: str
) -> None:
    """1.4 MB are stored and another megabyte comes: the review holds both, the old object twice."""
    resource = WIDGETS.inside(namespace)
    async with product.unregistered(client):
        await client.create(resource, made(WIDGETS, "grew"))
        grown = {"conditions": conditions(140, message="z" * 10_000)}
        assert (await merge_patch(client, resource, "grew", grown)).status == 200
        assert (await merge_patch(client, resource, "grew", {"message": "p" * 1_000_000})).status == 500
    assert (await merge_patch(client, resource, "grew", {"message": "p" * 1_000_000})).status == 200
    assert len((await record(client, resource, "grew")).value) < SMALL
