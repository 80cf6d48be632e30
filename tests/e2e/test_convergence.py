"""A controller that writes its untrimmed status for ever changes nothing in etcd, and nobody's watch sees an event."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from tests.controlplane.client import ApiClient
from tests.controlplane.objects import GADGETS, NOSUBS, WIDGETS
from tests.controlplane.resources import Resource
from tests.e2e.etcd import record, stored
from tests.e2e.objects import KEPT, attempts, conditions, executors, history, keyed_conditions, made
from tests.e2e.product import Statuscap
from tests.e2e.verbs import STATUS, VERBS, Verb, apply, merge_patch, put

Json = dict[str, Any]

REWRITES = 6
ATOMIC: Json = {"conditions": conditions(), "phase": "Running"}
KEYED: Json = {
    "history": history(),
    "conditionsMap": keyed_conditions(),
    "attempts": attempts(),
    "nodes": executors(),
    "phase": "Running",
}

every_verb = pytest.mark.parametrize("verb", VERBS.values(), ids=[*VERBS])
shapes = pytest.mark.parametrize("status", [ATOMIC, KEYED], ids=["atomic list", "keyed lists and a map"])


async def rewrite(
    client: ApiClient,
    resource: Resource,
    status: Json,
    verb: Verb,
    managers: Sequence[str],
    subresource: str = STATUS,
) -> tuple[object, object]:
    """Let every manager write the status once, then all of them in turns; return the key before and after the turns."""
    await client.create(resource, made(resource, "kept"))
    for manager in managers:
        answer = await verb(client, resource, "kept", status, manager=manager, subresource=subresource)
        assert answer.status == 200, answer.body
    before = await record(client, resource, "kept")
    for number in range(REWRITES):
        manager = managers[number % len(managers)]
        answer = await verb(client, resource, "kept", status, manager=manager, subresource=subresource)
        assert answer.status == 200, answer.body
    return before, await record(client, resource, "kept")


@shapes
@every_verb
@pytest.mark.parametrize("kind", [GADGETS, WIDGETS], ids=["typed", "preserve-unknown"])
async def test_the_same_untrimmed_status_again_is_no_write(
    client: ApiClient, namespace: str, kind: Resource, verb: Verb, status: Json
) -> None:
    before, after = await rewrite(client, kind.inside(namespace), status, verb, ["controller"])
    assert before == after


@shapes
@pytest.mark.parametrize("verb", [put, merge_patch], ids=["PUT", "merge patch"])
async def test_two_managers_that_write_the_same_untrimmed_status_in_turns_write_nothing(
    client: ApiClient, namespace: str, verb: Verb, status: Json
) -> None:
    before, after = await rewrite(client, GADGETS.inside(namespace), status, verb, ["agent", "controller"])
    assert before == after


async def test_two_appliers_of_the_same_untrimmed_keyed_lists_write_nothing(client: ApiClient, namespace: str) -> None:
    before, after = await rewrite(client, GADGETS.inside(namespace), KEYED, apply, ["agent", "controller"])
    assert before == after


@pytest.mark.parametrize("managers", [["controller"], ["agent", "controller"]], ids=["one manager", "two managers"])
@pytest.mark.parametrize("verb", [put, merge_patch], ids=["PUT", "merge patch"])
async def test_a_kind_without_status_subresource_converges_too(
    client: ApiClient, namespace: str, verb: Verb, managers: list[str]
) -> None:
    before, after = await rewrite(client, NOSUBS.inside(namespace), ATOMIC, verb, managers, subresource="")
    assert before == after


async def test_writers_that_race_for_one_object_all_succeed_and_leave_it_trimmed(
    client: ApiClient, namespace: str
) -> None:
    resource = GADGETS.inside(namespace)
    await client.create(resource, made(GADGETS, "raced"))

    async def write(number: int) -> int:
        status = {"conditions": conditions(first=number), "observedGeneration": number}
        return (await merge_patch(client, resource, "raced", status, manager=f"writer-{number % 8}")).status

    assert {*await asyncio.gather(*(write(number) for number in range(40)))} == {200}
    status = (await stored(client, resource, "raced"))["status"]
    assert status["conditions"] == conditions(first=status["observedGeneration"])[-KEPT:]


async def test_a_writer_reads_back_the_resource_version_that_it_knew(client: ApiClient, namespace: str) -> None:
    resource = GADGETS.inside(namespace)
    await client.create(resource, made(GADGETS, "known"))
    first, again = [await merge_patch(client, resource, "known", ATOMIC) for _ in range(2)]
    assert first.body == again.body


async def test_a_write_that_became_a_no_op_is_told_in_the_decision_log(
    client: ApiClient, product: Statuscap, namespace: str
) -> None:
    resource = GADGETS.inside(namespace)
    await client.create(resource, made(GADGETS, "told"))
    for _ in range(2):
        await merge_patch(client, resource, "told", ATOMIC)
    # The API server may ask several times about one write, when its cache turns out to be behind.
    trimmed = await product.decided(namespace=namespace, name="told", outcome="Trimmed")
    suppressed = await product.decided(namespace=namespace, name="told", outcome="Suppressed")
    assert {decision["reason"] for decision in trimmed} == {""}
    assert {decision["reason"] for decision in suppressed} == {"EqualAfterTrimming"}
    assert trimmed[-1]["time"] <= suppressed[0]["time"]


@every_verb
async def test_something_new_in_an_untrimmed_status_is_written(client: ApiClient, namespace: str, verb: Verb) -> None:
    resource = GADGETS.inside(namespace)
    await client.create(resource, made(GADGETS, "moves"))
    await verb(client, resource, "moves", ATOMIC)
    await verb(client, resource, "moves", {**ATOMIC, "conditions": conditions(first=1)})
    await verb(client, resource, "moves", {**ATOMIC, "conditions": conditions(first=1), "phase": "Done"})
    assert (await stored(client, resource, "moves"))["status"] == {
        "conditions": conditions(first=1)[-KEPT:],
        "phase": "Done",
    }
