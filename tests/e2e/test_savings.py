"""What the metrics say that etcd was spared is what etcd was spared; and who fights with a policy is found."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from tests.controlplane.client import ApiClient
from tests.controlplane.objects import GADGETS, GROUP
from tests.controlplane.resources import Resource
from tests.controlplane.waiting import eventually
from tests.e2e.conftest import NamespaceMaker
from tests.e2e.etcd import record
from tests.e2e.objects import KEPT, SENT, conditions, made
from tests.e2e.policies import MODES, Scope
from tests.e2e.product import Statuscap
from tests.e2e.verbs import merge_patch

Json = dict[str, Any]

GADGET = f"{GROUP}/{GADGETS.plural}"
WRITERS = 16
WRITES_EACH = 3
NOT_STORED = 64  # bytes of a resourceVersion, which the API server sends and etcd has beside the value


class Counted:
    """Counters of the product since this was made."""

    def __init__(self, product: Statuscap) -> None:
        self._product = product
        self._start = self._now()

    def __call__(self, name: str, **labels: str) -> float:
        """How much a counter of the gadgets has grown."""
        key = _key(f"statuscap_{name}_total", {"resource": GADGET} | labels)
        return self._now().get(key, 0) - self._start.get(key, 0)

    async def reaches(self, value: float, name: str, **labels: str) -> float:
        """Wait until a counter has grown so much; returns by how much it has."""

        async def look() -> float:
            grown = self(name, **labels)
            return grown if grown >= value else 0

        return await eventually(look, within=10, what=f"{name} to grow by {value}")

    def _now(self) -> dict[str, float]:
        return {_key(each.name, each.labels): each.value for each in self._product.metrics("statuscap_")}


def _key(name: str, labels: Json) -> str:
    return json.dumps([name, labels], sort_keys=True)


async def race(client: ApiClient, resource: Resource, name: str) -> int:
    """Let writers race for one object; returns how many writes landed, as etcd counted them."""
    await client.create(resource, made(resource, name))
    before = (await record(client, resource, name)).version

    async def write(writer: int) -> None:
        for number in range(WRITES_EACH):
            status = {"conditions": conditions(first=writer * WRITES_EACH + number)}
            answer = await merge_patch(client, resource, name, status, manager="racer")
            assert answer.status == 200, answer.body

    async with asyncio.TaskGroup() as group:
        for writer in range(WRITERS):
            group.create_task(write(writer))
    return (await record(client, resource, name)).version - before


def first_of_each_version(decisions: Sequence[Json]) -> list[Json]:
    return list({each["resourceVersion"]: each for each in reversed(decisions)}.values())


@pytest.mark.parametrize(("scope", "outcome"), [(Scope.ENFORCED, "Trimmed"), (Scope.DRY_RUN, "WouldTrim")])
async def test_of_racing_writers_the_calls_are_many_and_the_writes_those_that_etcd_counts(
    client: ApiClient, product: Statuscap, new_namespace: NamespaceMaker, scope: Scope, outcome: str
) -> None:
    namespace, mode = await new_namespace(scope), MODES[scope]
    counted = Counted(product)
    landed = await race(client, GADGETS.inside(namespace), "raced")
    assert landed == WRITERS * WRITES_EACH
    await counted.reaches(landed, "writes_trimmed", mode=mode)
    asked = int(counted("reviews", outcome=outcome, operation="UPDATE", phase="mutating", request_dry_run="false"))
    assert asked > landed, "each loser of a race is asked about again"
    assert counted("writes_trimmed", mode=mode) == landed
    calls = await product.decided(at_least=asked, namespace=namespace, name="raced")
    saved = sum(each["bytesBefore"] - each["bytesAfter"] for each in first_of_each_version(calls))
    assert counted("bytes_saved", mode=mode) == saved
    removed = sum(each["bytesBefore"] - each["bytesAfter"] for each in calls)
    assert counted("bytes_removed", mode=mode, policy=scope.value) == removed > saved


def heartbeat(number: int) -> Json:
    """A status whose newest conditions are always the same; what is trimmed is new every time."""
    return {"conditions": [*conditions(SENT - KEPT, message=f"beat {number}"), *conditions(KEPT, first=SENT)]}


async def test_suppressed_writes_are_counted_each_and_save_the_whole_object(
    client: ApiClient, product: Statuscap, namespace: str
) -> None:
    resource = GADGETS.inside(namespace)
    await client.create(resource, made(GADGETS, "beats"))
    await merge_patch(client, resource, "beats", heartbeat(0))
    before, counted = await record(client, resource, "beats"), Counted(product)
    for number in range(1, 11):
        await merge_patch(client, resource, "beats", heartbeat(number))
        await merge_patch(client, resource, "beats", heartbeat(number))  # the same again: it would have been no write
    assert await record(client, resource, "beats") == before
    await counted.reaches(10, "writes_suppressed", mode="Enforce")
    assert counted("writes_suppressed", mode="Enforce") == 10
    assert counted("writes_trimmed", mode="Enforce") == 0
    assert 0 <= counted("bytes_saved", mode="Enforce") / 10 - len(before.value) <= NOT_STORED


async def test_a_server_side_dry_run_saves_nothing(client: ApiClient, product: Statuscap, namespace: str) -> None:
    resource = GADGETS.inside(namespace)
    await client.create(resource, made(GADGETS, "tried"))
    counted = Counted(product)
    await client.merge_patch(resource, "tried", {"status": heartbeat(0)}, subresource="status", request_dry_run=True)
    await product.decided(namespace=namespace, name="tried")
    await merge_patch(client, resource, "tried", heartbeat(0))
    assert await counted.reaches(1, "writes_trimmed", mode="Enforce") == 1


@pytest.mark.parametrize("stored", [True, False], ids=["lands", "no-op"])
async def test_who_puts_back_what_is_trimmed_is_counted_and_told_once(
    client: ApiClient, product: Statuscap, namespace: str, stored: bool
) -> None:
    resource, name = GADGETS.inside(namespace), "fought-over"
    await client.create(resource, made(GADGETS, name))
    await merge_patch(client, resource, name, heartbeat(0))
    counted, label = Counted(product), "true" if stored else "false"
    for number in range(40):
        status = {"conditions": conditions(first=number)} if stored else heartbeat(number)
        await merge_patch(client, resource, name, status)
    assert await counted.reaches(1, "fights", stored=label) == 1
    lines = [json.loads(line) for line in product.log.read_text().splitlines()]
    (line,) = [each for each in lines if each.get("object") == f"{GADGET}/{namespace}/{name}"]
    assert (line["message"], line["stored"], line["field_manager"]) == ("fight", stored, "controller")
    assert line["policies"] == [Scope.ENFORCED.value]
