"""Heartbeats on a real API server: they cost etcd a write when staleness demands one, and none is held back for longer.

The writers write as fast as they are answered, for ``HEARTBEAT_SECONDS`` seconds (9 unless given).
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, Final

import pytest
import pytest_asyncio

from tests.controlplane.client import ApiClient
from tests.controlplane.objects import NOSUBS, WIDGETS
from tests.controlplane.resources import Resource
from tests.controlplane.servers import ControlPlane
from tests.e2e.conftest import NamespaceMaker, in_charge
from tests.e2e.etcd import record, stored
from tests.e2e.objects import made
from tests.e2e.policies import Scope, policy
from tests.e2e.product import Statuscap
from tests.e2e.verbs import VERBS, Verb, apply, merge_patch, put

Json = dict[str, Any]

SECONDS: Final = float(os.environ.get("HEARTBEAT_SECONDS", "9"))
STALE: Final = 3
RULES: Final[list[Json]] = [
    {"fields": ["status.seen.*", "status.conditions[*].lastHeartbeatTime"], "maxStaleness": f"{STALE}s"},
    {"fields": ["status.size", "status.parts.*.size"], "within": {"percent": 5}, "maxStaleness": "1h"},
]


@pytest.fixture(scope="module")
def holding(plane: ControlPlane) -> Iterator[Statuscap]:
    """A product that holds back heartbeats."""
    rules = policy("heartbeats", mode="Enforce", scope=Scope.OTHER, trim=())
    rules["spec"]["suppress"] = RULES
    with in_charge(plane, Statuscap([rules], name="heartbeats")) as running:
        yield running


@pytest_asyncio.fixture
async def namespace(new_namespace: NamespaceMaker, holding: Statuscap) -> str:
    assert holding.ready()
    return await new_namespace(Scope.OTHER)


def now() -> str:
    """The time as controllers write it, to the microsecond."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def beat(name: str) -> Json:
    """A heartbeat of a writer of that name."""
    return {"seen": {name: now()}}


async def beats(client: ApiClient, resource: Resource, name: str, manager: str, until: float, verb: Verb) -> int:
    """Write heartbeats until then, by a clock that never jumps; return how many."""
    count = 0
    while time.monotonic() < until:
        answer = await verb(client, resource, name, beat(manager), manager=manager)
        assert answer.status == 200, answer.body
        count += 1
    return count


async def heartbeats_of_two(client: ApiClient, resource: Resource, verb: Verb) -> tuple[int, int, float]:
    """Let two managers with a field each write at once; return writes sent, writes stored, and the seconds it took."""
    await client.create(resource, made(resource, "busy"))
    for manager in ("agent", "controller"):
        assert (await verb(client, resource, "busy", beat(manager), manager=manager)).status == 200
    before, start = await record(client, resource, "busy"), time.monotonic()
    sent = await asyncio.gather(
        *(beats(client, resource, "busy", manager, start + SECONDS, verb) for manager in ("agent", "controller"))
    )
    after = await record(client, resource, "busy")
    return sum(sent), after.version - before.version, time.monotonic() - start


@pytest.mark.parametrize("verb", [merge_patch, apply], ids=["merge patch", "server-side apply"])
async def test_two_managers_cost_a_write_each_only_when_staleness_demands_it(
    client: ApiClient, namespace: str, verb: Verb
) -> None:
    sent, written, took = await heartbeats_of_two(client, WIDGETS.inside(namespace), verb)
    print(f"{sent} heartbeats in {took:.1f} s, {written} of them stored")
    assert sent > 10 * written
    assert 2 * int(SECONDS // (STALE + 1)) <= written <= 2 * (took / STALE + 1)


async def test_what_is_stored_is_never_older_than_its_staleness(client: ApiClient, namespace: str) -> None:
    resource, oldest = WIDGETS.inside(namespace), 0.0
    await client.create(resource, made(WIDGETS, "fresh"))
    end = time.monotonic() + 2.5 * STALE
    while time.monotonic() < end:
        answer = await merge_patch(client, resource, "fresh", beat("agent"), manager="agent")
        seen = datetime.fromisoformat(answer.body["status"]["seen"]["agent"])
        oldest = max(oldest, (datetime.now(UTC) - seen).total_seconds())
    assert 1 < oldest < STALE + 1


@pytest.mark.parametrize("verb", VERBS.values(), ids=[*VERBS])
async def test_news_pass_at_once_and_take_the_heartbeat_with_them(
    client: ApiClient, namespace: str, verb: Verb
) -> None:
    resource = WIDGETS.inside(namespace)
    await client.create(resource, made(WIDGETS, "news"))
    first, second, third = now(), now(), now()
    await verb(client, resource, "news", {"phase": "Up", "seen": {"a": first}})
    await verb(client, resource, "news", {"phase": "Up", "seen": {"a": second}})
    assert (await stored(client, resource, "news"))["status"] == {"phase": "Up", "seen": {"a": first}}
    await verb(client, resource, "news", {"phase": "Down", "seen": {"a": third}})
    assert (await stored(client, resource, "news"))["status"] == {"phase": "Down", "seen": {"a": third}}


@pytest.mark.parametrize("form", [int, str], ids=["numbers", "numeric strings"])
async def test_a_number_moves_once_it_has_left_its_deadband(
    client: ApiClient, namespace: str, form: Callable[[int], Json]
) -> None:
    resource, seen = WIDGETS.inside(namespace), []
    await client.create(resource, made(WIDGETS, "sizes"))
    for size in range(1_000_000, 1_130_000, 10_000):
        status = {"size": form(size), "parts": {"a": {"size": form(size)}}}
        answer = await merge_patch(client, resource, "sizes", status)
        assert answer.status == 200
        seen.append(int((await stored(client, resource, "sizes"))["status"]["parts"]["a"]["size"]))
    assert sorted(set(seen)) == [1_000_000, 1_060_000, 1_120_000]
    assert (await record(client, resource, "sizes")).version == 1 + 3


async def test_a_number_that_becomes_a_text_is_news(client: ApiClient, namespace: str) -> None:
    resource = WIDGETS.inside(namespace)
    await client.create(resource, made(WIDGETS, "types"))
    await merge_patch(client, resource, "types", {"size": 100})
    await merge_patch(client, resource, "types", {"size": "100"})
    assert (await stored(client, resource, "types"))["status"] == {"size": "100"}


async def test_a_third_manager_that_applies_for_the_first_time_is_never_lost(client: ApiClient, namespace: str) -> None:
    resource = WIDGETS.inside(namespace)
    await client.create(resource, made(WIDGETS, "third"))
    for manager in ("agent", "controller"):
        await merge_patch(client, resource, "third", beat(manager), manager=manager)
    live = (await stored(client, resource, "third"))["status"]["seen"]
    answer = await apply(client, resource, "third", {"seen": {"agent": live["agent"]}}, manager="newcomer")
    assert answer.status == 200
    owners = (await stored(client, resource, "third"))["metadata"]["managedFields"]
    assert [each["fieldsV1"] for each in owners if each["manager"] == "newcomer"] == [
        {"f:status": {"f:seen": {".": {}, "f:agent": {}}}}
    ]
    await merge_patch(client, resource, "third", beat("controller"), manager="controller")
    owners = (await stored(client, resource, "third"))["metadata"]["managedFields"]
    assert "newcomer" in [each["manager"] for each in owners]


async def test_a_kind_without_status_subresource_is_held_back_when_nothing_else_changes(
    client: ApiClient, namespace: str
) -> None:
    resource = NOSUBS.inside(namespace)
    await client.create(resource, made(NOSUBS, "whole"))
    await put(client, resource, "whole", {"conditions": condition()}, subresource="")
    before = await record(client, resource, "whole")
    await put(client, resource, "whole", {"conditions": condition()}, subresource="")
    assert await record(client, resource, "whole") == before
    live = (await client.get(resource, "whole")).body
    await client.replace(resource, {**live, "spec": {"size": 2}, "status": {"conditions": condition()}})
    assert (await record(client, resource, "whole")).version == before.version + 1


def condition() -> list[Json]:
    return [{"type": "Ready", "status": "True", "lastHeartbeatTime": now()}]
