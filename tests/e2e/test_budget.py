"""A status that is far too big for etcd is cut as far as it has to be, and no further."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.controlplane.client import ApiClient
from tests.controlplane.objects import NOSUBS, WIDGETS
from tests.controlplane.resources import Resource
from tests.e2e.conftest import NamespaceMaker
from tests.e2e.etcd import record, stored
from tests.e2e.objects import conditions, made
from tests.e2e.policies import Scope, policy
from tests.e2e.product import Statuscap
from tests.e2e.verbs import VERBS, Verb, merge_patch

Json = dict[str, Any]

MOST = 1024**2
BUDGET: Json = {
    "maxBytes": "1Mi",
    "of": "Object",
    "steps": [
        {"truncate": {"paths": ["status.log"], "maxBytes": "64Ki", "keep": "Tail"}},
        {"capConditions": {"max": 50}},
        {"truncate": {"paths": ["status.conditions[*].message"], "maxBytes": 100}},
    ],
}
LOG = "x" * 1_100_000
MANY = conditions(130, message="y" * 10_800)
HUGE: Json = {"log": LOG, "conditions": MANY, "phase": "Running"}
"""2.5 MB, of which the API server takes 3 MiB, and etcd 1.5."""


@pytest.fixture
async def place(client: ApiClient, new_namespace: NamespaceMaker) -> AsyncIterator[str]:
    """A namespace in which the budget is enforced."""
    namespace = await new_namespace(Scope.OTHER)
    document = policy("kept-small", mode="Enforce", scope=Scope.OTHER, trim=[{"budget": BUDGET}])
    async with Statuscap([document], name="kept-small").in_charge(client):
        yield namespace


async def test_without_a_budget_it_cannot_be_stored(client: ApiClient, untouched: str) -> None:
    resource = WIDGETS.inside(untouched)
    await client.create(resource, made(WIDGETS, "swells"))
    assert (await merge_patch(client, resource, "swells", HUGE)).status == 500


@pytest.mark.parametrize("verb", VERBS.values(), ids=[*VERBS])
async def test_two_and_a_half_megabytes_are_brought_below_one_and_so_is_the_next_write(
    client: ApiClient, place: str, verb: Verb
) -> None:
    resource = WIDGETS.inside(place)
    await client.create(resource, made(WIDGETS, "swells"))
    assert (await verb(client, resource, "swells", HUGE)).status == 200
    first = await record(client, resource, "swells")
    assert MOST / 2 < len(first.value) <= MOST
    await assert_cut(client, resource, "Running")
    assert (await verb(client, resource, "swells", {**HUGE, "phase": "Done"})).status == 200
    assert MOST / 2 < len((await record(client, resource, "swells")).value) <= MOST
    await assert_cut(client, resource, "Done")


async def assert_cut(client: ApiClient, resource: Resource, phase: str) -> None:
    """The first two steps were needed and the third was not."""
    status = (await stored(client, resource, "swells"))["status"]
    assert len(status["log"]) <= 64 * 1024
    assert status["log"].endswith("xxx")
    assert status["conditions"] == MANY[-50:]
    assert status["phase"] == phase


async def test_the_same_write_once_more_is_none(client: ApiClient, place: str) -> None:
    resource = WIDGETS.inside(place)
    await client.create(resource, made(WIDGETS, "swells"))
    assert (await merge_patch(client, resource, "swells", HUGE)).status == 200
    before = await record(client, resource, "swells")
    assert (await merge_patch(client, resource, "swells", HUGE)).status == 200
    assert await record(client, resource, "swells") == before


async def test_what_fits_is_stored_as_it_is(client: ApiClient, place: str) -> None:
    resource = WIDGETS.inside(place)
    await client.create(resource, made(WIDGETS, "fits"))
    status: Json = {"log": "x" * 300_000, "conditions": conditions(60, message="y" * 10_000)}
    assert (await merge_patch(client, resource, "fits", status)).status == 200
    assert (await stored(client, resource, "fits"))["status"] == status


async def test_an_object_without_status_subresource_is_measured_with_its_spec(client: ApiClient, place: str) -> None:
    resource = NOSUBS.inside(place)
    document = made(NOSUBS, "born-huge", status={"log": LOG, "conditions": conditions(40, message="y" * 10_000)})
    document["spec"] = {"text": "z" * 700_000}
    assert (await client.create(resource, document)).status == 201
    assert len((await record(client, resource, "born-huge")).value) <= MOST
    whole = await stored(client, resource, "born-huge")
    assert whole["spec"] == document["spec"]
    assert {len(each["message"].encode()) for each in whole["status"]["conditions"]} == {100}
