"""What a server does to keep within its bounds costs no write."""

from __future__ import annotations

import pytest_asyncio

from tests.controlplane.client import ApiClient
from tests.controlplane.objects import GADGETS
from tests.controlplane.resources import Resource
from tests.controlplane.waiting import eventually
from tests.e2e.conftest import NamespaceMaker
from tests.e2e.etcd import stored
from tests.e2e.load import writing
from tests.e2e.objects import KEPT, conditions, made
from tests.e2e.policies import Scope, policy
from tests.e2e.product import Statuscap
from tests.e2e.test_lifecycle import fail_open
from tests.e2e.verbs import merge_patch
from tests.serving.calls import framed
from tests.serving.hostile import large
from tests.serving.target import Target

WRITERS = 8
HELD = 400_000  # bytes of each of the bodies that are held back
LARGE = {"conditions": conditions(120, message="y" * 10_000)}  # 1.2 MB, which etcd takes


@pytest_asyncio.fixture
async def resource(new_namespace: NamespaceMaker, client: ApiClient) -> Resource:
    """Gadgets of a namespace that the session's product leaves alone; one is there."""
    gadgets = GADGETS.inside(await new_namespace(Scope.OTHER))
    await client.create(gadgets, made(GADGETS, "one"))
    return gadgets


async def test_connections_that_get_old_cost_no_write(client: ApiClient, resource: Resource) -> None:
    policies, flags = [policy("ages", mode="Enforce", scope=Scope.OTHER)], ["--max-connection-age", "100ms"]
    async with Statuscap(policies, name="ages", flags=flags).in_charge(client):
        before = await fail_open(client)
        async with writing(client, resource, WRITERS) as load:
            answers = await load.more(400)
        assert {*answers} == {(200, KEPT)}
        assert await fail_open(client) == before


async def test_a_review_that_there_is_no_room_for_passes_untrimmed(client: ApiClient, resource: Resource) -> None:
    policies = [policy("sheds", mode="Enforce", scope=Scope.OTHER)]
    flags = ["--max-body", "4Mi", "--max-in-flight-bytes", "4Mi"]
    async with Statuscap(policies, name="sheds", flags=flags).in_charge(client) as product:
        target, before = Target(product), await fail_open(client)
        async with target.connections(8) as streams:
            for _, writer in streams:
                writer.write(framed(large(HELD))[:-1])

            async def held() -> bool:
                return await target.metric("statuscap_in_flight_bytes") >= 8 * HELD

            await eventually(held, what="bodies that are held back")
            assert (await merge_patch(client, resource, "one", LARGE)).status == 200
            assert len((await stored(client, resource, "one"))["status"]["conditions"]) == len(LARGE["conditions"])
            await client.create(resource, made(GADGETS, "two"))
            small = await merge_patch(client, resource, "two", {"conditions": conditions()})
            assert len(small.body["status"]["conditions"]) == KEPT
        (shed,) = await product.decided(reason="Shed")
        assert (shed["outcome"], shed["name"], shed["resource"]) == ("Skipped", "one", "gadgets")
        assert await target.metric("statuscap_shed_total", reason="bytes_in_flight") == 1
        assert await fail_open(client) == before
