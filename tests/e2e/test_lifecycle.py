"""Whatever happens to the product, writes go on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import pytest_asyncio

from tests.controlplane.client import ApiClient
from tests.controlplane.objects import GADGETS
from tests.controlplane.resources import Resource
from tests.controlplane.waiting import eventually
from tests.e2e.conftest import NamespaceMaker
from tests.e2e.load import writing
from tests.e2e.objects import KEPT, SENT, conditions, made
from tests.e2e.policies import Scope, policy
from tests.e2e.product import Statuscap
from tests.e2e.verbs import merge_patch

WRITERS = 8
DRAIN = 3  # seconds: long enough for hundreds of writes
LONG = {"conditions": conditions()}


@pytest_asyncio.fixture
async def mortal(client: ApiClient) -> AsyncIterator[Statuscap]:
    """A product of the test's own, to be hurt, in charge of namespaces of its own."""
    policies = [policy("mortal", mode="Enforce", scope=Scope.OTHER)]
    async with Statuscap(policies, name="mortal", drain=f"{DRAIN}s").in_charge(client) as running:
        yield running


@pytest_asyncio.fixture
async def resource(new_namespace: NamespaceMaker, client: ApiClient) -> Resource:
    """Gadgets that only ``mortal`` is in charge of; one is there."""
    gadgets = GADGETS.inside(await new_namespace(Scope.OTHER))
    await client.create(gadgets, made(GADGETS, "one"))
    return gadgets


async def length(client: ApiClient, resource: Resource) -> int:
    """Write 30 conditions and return how many the API server kept."""
    answer = await merge_patch(client, resource, "one", LONG)
    assert answer.status == 200, answer.body
    return len(answer.body["status"]["conditions"])


async def fail_open(client: ApiClient) -> float:
    """Return how many calls of a webhook failed and let the write through."""
    return sum(sample.value for sample in await client.metrics("apiserver_admission_webhook_fail_open_count"))


async def test_writes_go_on_untrimmed_while_it_is_dead_and_are_trimmed_again_once_it_is_back(
    client: ApiClient, mortal: Statuscap, resource: Resource
) -> None:
    assert await length(client, resource) == KEPT
    mortal.kill()
    assert await length(client, resource) == SENT
    await asyncio.to_thread(mortal.restart)
    assert await length(client, resource) == KEPT


async def test_a_product_that_hangs_is_given_up_by_the_api_server_and_the_write_passes(
    client: ApiClient, resource: Resource
) -> None:
    policies = [policy("hangs", mode="Enforce", scope=Scope.OTHER)]
    async with Statuscap(policies, name="hangs", patience=1).in_charge(client) as product:
        assert await length(client, resource) == KEPT
        before = await fail_open(client)
        product.hang()
        assert await length(client, resource) == SENT
        assert await fail_open(client) > before, "the write passed since its timeout was over, not by an answer"
        assert product.exit_code is None, "it hangs to the end, so that nothing but the timeout can have ended the call"


async def test_a_kill_under_load_fails_no_write(client: ApiClient, mortal: Statuscap, resource: Resource) -> None:
    async with writing(client, resource, WRITERS) as load:
        await load.more(50)
        mortal.kill()
        await load.more(50)
        await asyncio.to_thread(mortal.restart)
        back = await load.more(100)
    assert load.failed == []
    assert back[-1] == (200, KEPT)


async def test_a_shutdown_under_load_fails_no_write_and_trims_to_the_end(
    client: ApiClient, mortal: Statuscap, resource: Resource
) -> None:
    before = await fail_open(client)

    async def not_ready() -> bool:
        return not await asyncio.to_thread(mortal.ready)

    async with writing(client, resource, WRITERS) as load:
        await load.more(100)
        over = time.monotonic() + DRAIN  # or later: the drain begins when the signal arrives
        mortal.begin_drain()
        await eventually(not_ready, what="/readyz that says no")
        assert mortal.exit_code is None, "readiness goes first, so that a Service sends no new connections"
        draining: list[tuple[int, int]] = []
        failed_open = before
        while True:
            answers, calls_failed = await load.more(WRITERS), await fail_open(client)
            if time.monotonic() > over:  # a busy machine gets fewer of them done before
                break
            draining, failed_open = [*draining, *answers], calls_failed
    assert load.failed == []
    assert {*draining} == {(200, KEPT)}
    assert failed_open == before
    assert await mortal.ended() == 0


async def test_it_answers_until_the_drain_is_over_and_then_writes_pass_untrimmed(
    client: ApiClient, mortal: Statuscap, resource: Resource
) -> None:
    async with writing(client, resource, 2) as load:
        mortal.begin_drain()
        code = await mortal.ended()
        after = (await load.more(10))[-1]
    assert (load.failed, code) == ([], 0)
    assert after == (200, SENT)


async def test_deleting_the_configuration_turns_it_off(
    client: ApiClient, mortal: Statuscap, resource: Resource
) -> None:
    assert await length(client, resource) == KEPT
    async with mortal.unregistered(client):
        assert await length(client, resource) == SENT
    assert await length(client, resource) == KEPT
