"""What a trim does to ``metadata.managedFields``, and to writers that use server-side apply."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from tests.controlplane.client import ApiClient
from tests.controlplane.objects import GADGETS, WIDGETS
from tests.controlplane.resources import Resource
from tests.e2e.etcd import record, stored
from tests.e2e.objects import KEPT, LONGEST, SENT, attempts, conditions, executors, history, keyed_conditions, made
from tests.e2e.product import Statuscap
from tests.e2e.sequences import both
from tests.e2e.verbs import Verb, apply, merge_patch, put

Json = dict[str, Any]
Items = Callable[..., list[Json] | Json]

EARLY, LATE = 20, 200  # writes after which managedFields are measured
WIDER = 40  # bytes that the digits of ten keys may add between the two (e10 is longer than e9)
WITHOUT_PRUNING = {"history": 12_000, "conditionsMap": 23_000, "attempts": 12_000, "nodes": 7_000}
"""Bytes at write 200, measured with a trim of the status alone."""


async def bookkeeping(client: ApiClient, resource: Resource, name: str) -> int:
    """Return the bytes of an object's managedFields in etcd."""
    managed = (await stored(client, resource, name))["metadata"]["managedFields"]
    return len(json.dumps(managed, separators=(",", ":")))


@pytest.mark.parametrize(
    ("field", "items"),
    [
        pytest.param("history", history, id="by id"),
        pytest.param("conditionsMap", keyed_conditions, id="by type"),
        pytest.param("attempts", attempts, id="by age"),
        pytest.param("nodes", executors, id="a map"),
    ],
)
@pytest.mark.parametrize("verb", [put, merge_patch, apply], ids=["PUT", "merge patch", "server-side apply"])
async def test_managed_fields_do_not_grow_with_a_list_or_map_that_rolls_on(
    client: ApiClient, namespace: str, verb: Verb, field: str, items: Items
) -> None:
    resource = GADGETS.inside(namespace)
    await client.create(resource, made(GADGETS, "rolls"))
    sizes = {}
    length = 0
    for newest in range(1, LATE + 1):
        window = items(min(newest, KEPT + 1), first=max(0, newest - KEPT - 1))  # what is stored, and one more
        answer = await verb(client, resource, "rolls", {field: window})
        assert answer.status == 200, answer.body
        length = len(answer.body["status"][field])
        if newest in {EARLY, LATE}:
            sizes[newest] = await bookkeeping(client, resource, "rolls")
    assert length == KEPT
    assert sizes[LATE] <= sizes[EARLY] + WIDER
    assert sizes[LATE] < WITHOUT_PRUNING[field] / 5


async def test_a_key_that_was_trimmed_can_be_claimed_by_another_applier(client: ApiClient, namespace: str) -> None:
    resource = GADGETS.inside(namespace)
    await client.create(resource, made(GADGETS, "shared"))
    await apply(client, resource, "shared", {"history": history()}, manager="first")
    claim = {"history": [{"id": "e0", "phase": "Reopened", "time": "2026-02-01T00:00:00Z"}]}
    claimed = await apply(client, resource, "shared", claim, manager="second")
    assert claimed.status == 200, claimed.body
    assert "e0" in [entry["id"] for entry in (await stored(client, resource, "shared"))["status"]["history"]]


async def test_a_single_applier_of_an_atomic_list_is_trimmed(client: ApiClient, namespace: str) -> None:
    resource = GADGETS.inside(namespace)
    await client.create(resource, made(GADGETS, "alone"))
    for _ in range(2):
        assert (await apply(client, resource, "alone", {"conditions": conditions()})).status == 200
    assert (await stored(client, resource, "alone"))["status"] == {"conditions": conditions()[-KEPT:]}


@pytest.mark.parametrize("kind", [GADGETS, WIDGETS], ids=["typed", "preserve-unknown"])
async def test_an_atomic_list_that_two_appliers_own_stays_whole_and_neither_gets_a_conflict(
    client: ApiClient, product: Statuscap, namespace: str, kind: Resource
) -> None:
    resource, status = kind.inside(namespace), {"conditions": conditions()}
    async with product.unregistered(client):
        await client.create(resource, made(kind, "owned"))
        for manager in ("first", "second"):
            assert (await apply(client, resource, "owned", status, manager=manager)).status == 200
    for manager in ("first", "second", "first", "second"):
        answer = await apply(client, resource, "owned", status, manager=manager)
        assert answer.status == 200, answer.body
    assert (await stored(client, resource, "owned"))["status"] == status


async def test_the_decision_log_says_why_a_list_stayed_whole(
    client: ApiClient, product: Statuscap, namespace: str
) -> None:
    resource = GADGETS.inside(namespace)
    async with product.unregistered(client):
        await client.create(resource, made(GADGETS, "owned"))
        for manager in ("first", "second"):
            await apply(client, resource, "owned", {"conditions": conditions()}, manager=manager)
    status = {"conditions": conditions(), "history": history()}  # the other list is trimmed, so there is a line
    answer = await apply(client, resource, "owned", status, manager="second")
    assert answer.body["status"] == {"conditions": conditions(), "history": history()[-KEPT:]}
    (decision,) = await product.decided(namespace=namespace, name="owned")
    (judged,) = decision["policies"]
    assert (decision["outcome"], judged["reason"]) == ("Trimmed", "CoOwned")


async def test_the_first_apply_of_a_new_co_applier_is_never_lost(client: ApiClient, namespace: str) -> None:
    resource = GADGETS.inside(namespace)
    await client.create(resource, made(GADGETS, "joined"))
    full = {"phase": "Running", "history": history()}
    await apply(client, resource, "joined", full, manager="first")
    joined = await apply(client, resource, "joined", {"phase": "Running", "history": history()}, manager="second")
    assert joined.status == 200, joined.body
    left = await apply(client, resource, "joined", {"history": history()}, manager="first")
    assert left.status == 200, left.body
    assert (await stored(client, resource, "joined"))["status"].get("phase") == "Running"


@pytest.mark.parametrize("verb", [put, merge_patch], ids=["PUT", "merge patch"])
async def test_an_updater_that_repeats_what_an_applier_says_takes_nothing_over(
    client: ApiClient, namespace: str, verb: Verb
) -> None:
    """Without a trim the repetition changes nothing, so the applier would own the list on and meet no conflict."""
    resource, status = GADGETS.inside(namespace), {"conditions": conditions(), "message": "m" * 5000}
    await client.create(resource, made(GADGETS, "repeated"))
    await apply(client, resource, "repeated", status, manager="applier")
    before = await record(client, resource, "repeated")
    for _ in range(2):
        assert (await verb(client, resource, "repeated", status, manager="updater")).status == 200
        again = await apply(client, resource, "repeated", status, manager="applier")
        assert again.status == 200, again.body
    assert await record(client, resource, "repeated") == before


async def test_an_updater_that_also_says_something_new_takes_no_more_than_that(
    client: ApiClient, namespace: str
) -> None:
    resource, status = GADGETS.inside(namespace), {"conditions": conditions()}
    await client.create(resource, made(GADGETS, "more"))
    await apply(client, resource, "more", status, manager="applier")
    await merge_patch(client, resource, "more", {**status, "phase": "Running"}, manager="updater")
    again = await apply(client, resource, "more", status, manager="applier")
    assert again.status == 200, again.body


async def test_a_list_that_an_applier_and_an_updater_own_stays_whole(
    client: ApiClient, product: Statuscap, namespace: str
) -> None:
    resource, status = GADGETS.inside(namespace), {"conditions": conditions()}
    async with product.unregistered(client):
        await client.create(resource, made(GADGETS, "mixed"))
        await put(client, resource, "mixed", status, manager="updater")
        await apply(client, resource, "mixed", status, manager="applier")
    for verb, manager in ((apply, "applier"), (put, "updater"), (apply, "applier")):
        answer = await verb(client, resource, "mixed", status, manager=manager)
        assert answer.status == 200, answer.body
    assert (await stored(client, resource, "mixed"))["status"] == status


# --- an applier and those who repeat its words -----------------------------------------------------------------------


@pytest.mark.parametrize("verb", [put, merge_patch], ids=["PUT", "merge patch"])
@pytest.mark.parametrize("kind", [GADGETS, WIDGETS], ids=["typed", "preserve-unknown"])
async def test_an_applier_keeps_what_an_updater_repeats_beside_something_new_over_many_writes(
    client: ApiClient, namespace: str, kind: Resource, verb: Verb
) -> None:
    resource, status = kind.inside(namespace), {"conditions": conditions(), "message": "m" * 5000}
    await client.create(resource, made(kind, "repeated"))
    assert (await apply(client, resource, "repeated", status, manager="applier")).status == 200
    for number in range(4):
        news = {"phase": f"phase {number}"}
        written = await verb(client, resource, "repeated", {**status, **news}, manager="updater")
        assert written.status == 200, written.body
        assert written.warnings == []
        kept = (await stored(client, resource, "repeated"))["status"]
        assert (len(kept["conditions"]), kept["phase"]) == (KEPT, news["phase"])
        assert len(kept["message"].encode()) == LONGEST
        assert await owners(client, resource, "repeated") == {
            "applier": {"f:conditions": {}, "f:message": {}},
            "updater": {"f:phase": {}},
        }
        again = await apply(client, resource, "repeated", status, manager="applier")
        assert again.status == 200, again.body


async def owners(client: ApiClient, resource: Resource, name: str) -> Json:
    """Return what every manager of the status owns of it."""
    managed = (await stored(client, resource, name))["metadata"]["managedFields"]
    return {one["manager"]: one["fieldsV1"]["f:status"] for one in managed if "f:status" in one["fieldsV1"]}


@pytest.mark.parametrize("number", range(8))
async def test_random_sequences_of_writes_have_no_conflict_because_of_a_trim(
    client: ApiClient, namespace: str, untouched: str, number: int
) -> None:
    """The same writes with a policy and without: no apply is a conflict in the first case only."""
    answers = await both(client, namespace, untouched, f"sequence-{number}", random.Random(f"e2e:{number}"))
    assert [one for one in answers if one.needless] == []
    assert {one.trimmed for one in answers} <= {200, 409}


@pytest.mark.parametrize("kind", [GADGETS, WIDGETS], ids=["typed", "preserve-unknown"])
async def test_a_map_whose_entries_an_applier_and_an_updater_own_one_by_one_is_trimmed_and_neither_gets_a_conflict(
    client: ApiClient, product: Statuscap, namespace: str, kind: Resource
) -> None:
    """An entry that is gone is nobody's any more, so the next apply adds it and takes it from nobody."""
    resource, status = kind.inside(namespace), {"nodes": executors()}
    async with product.unregistered(client):
        await client.create(resource, made(kind, "entries"))
        await put(client, resource, "entries", status, manager="updater")
        await apply(client, resource, "entries", status, manager="applier")
    for verb, manager in ((apply, "applier"), (put, "updater"), (apply, "applier"), (merge_patch, "updater")):
        answer = await verb(client, resource, "entries", status, manager=manager)
        assert answer.status == 200, answer.body
        assert answer.body["status"] == {"nodes": executors(KEPT, first=SENT - KEPT)}
    changed = {"nodes": {name: {"phase": "Reopened"} for name in executors()}}
    assert (await apply(client, resource, "entries", changed, manager="applier")).status == 409  # as without a trim
