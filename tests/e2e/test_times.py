"""Fresh transition times and dropped fields: a controller that writes them for ever costs no write and no growth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
import pytest_asyncio

from tests.controlplane.client import ApiClient
from tests.controlplane.objects import GADGETS, NOSUBS, WIDGETS
from tests.controlplane.resources import Resource
from tests.controlplane.servers import ControlPlane
from tests.e2e.conftest import NamespaceMaker, in_charge
from tests.e2e.etcd import record, stored
from tests.e2e.objects import instant, made
from tests.e2e.policies import Scope, policy
from tests.e2e.product import Statuscap
from tests.e2e.verbs import STATUS, VERBS, Verb, apply, merge_patch, put

Json = dict[str, Any]

REWRITES = 6
TURNS = 200
TRIM: tuple[Json, ...] = (
    {"drop": {"paths": ["status.message", "status.history[*].message"]}},
    {"restoreTimes": {"path": "status.conditions"}},
    {"restoreTimes": {"path": "status.conditionsMap"}},
)
every_verb = pytest.mark.parametrize("verb", VERBS.values(), ids=[*VERBS])
updates = pytest.mark.parametrize("verb", [put, merge_patch], ids=["PUT", "merge patch"])
lists = pytest.mark.parametrize("field", ["conditions", "conditionsMap"], ids=["atomic list", "keyed list"])


@pytest.fixture(scope="module")
def restoring(plane: ControlPlane) -> Iterator[Statuscap]:
    """A product that puts times back and drops what it is told."""
    with in_charge(
        plane, Statuscap([policy("times", mode="Enforce", scope=Scope.OTHER, trim=TRIM)], name="times")
    ) as running:
        yield running


@pytest_asyncio.fixture
async def namespace(new_namespace: NamespaceMaker, restoring: Statuscap) -> str:
    assert restoring.ready()
    return await new_namespace(Scope.OTHER)


def observed(turn: int, *, status: str = "True") -> list[Json]:
    """What a controller says of an object that is as it was, with the time of the turn."""
    return [
        {"type": name, "status": status if name == "Ready" else "True", "lastTransitionTime": instant(turn)}
        for name in ("Ready", "Synced")
    ]


async def rewrite(
    client: ApiClient, resource: Resource, field: str, verb: Verb, managers: Sequence[str], subresource: str = STATUS
) -> tuple[object, object]:
    """Let every manager write once, then all of them in turns with fresh times; return the key before and after."""
    await client.create(resource, made(resource, "kept"))
    before = None
    for turn in range(len(managers) + REWRITES):
        if turn == len(managers):
            before = await record(client, resource, "kept")
        status = {field: observed(turn), "message": f"turn {turn}", "phase": "Running"}
        manager = managers[turn % len(managers)]
        answer = await verb(client, resource, "kept", status, manager=manager, subresource=subresource)
        assert answer.status == 200, answer.body
    return before, await record(client, resource, "kept")


@lists
@every_verb
@pytest.mark.parametrize("kind", [GADGETS, WIDGETS], ids=["typed", "preserve-unknown"])
async def test_times_that_are_set_anew_with_every_write_are_no_write(
    client: ApiClient, namespace: str, kind: Resource, verb: Verb, field: str
) -> None:
    before, after = await rewrite(client, kind.inside(namespace), field, verb, ["controller"])
    assert before == after


@lists
@updates
async def test_two_managers_that_set_times_anew_in_turns_write_nothing(
    client: ApiClient, namespace: str, verb: Verb, field: str
) -> None:
    before, after = await rewrite(client, GADGETS.inside(namespace), field, verb, ["agent", "controller"])
    assert before == after


@updates
async def test_a_kind_without_status_subresource_converges_too(client: ApiClient, namespace: str, verb: Verb) -> None:
    managers = ["agent", "controller"]
    before, after = await rewrite(client, NOSUBS.inside(namespace), "conditions", verb, managers, subresource="")
    assert before == after


@lists
async def test_an_applier_and_an_updater_with_fresh_times_write_nothing_and_meet_no_conflict(
    client: ApiClient, namespace: str, field: str
) -> None:
    resource = GADGETS.inside(namespace)
    await client.create(resource, made(GADGETS, "both"))
    await apply(client, resource, "both", {field: observed(0)}, manager="applier")
    before = await record(client, resource, "both")
    for turn in range(1, REWRITES):
        verb, manager = (merge_patch, "updater") if turn % 2 else (apply, "applier")
        answer = await verb(client, resource, "both", {field: observed(turn)}, manager=manager)
        assert answer.status == 200, answer.body
    assert await record(client, resource, "both") == before


@every_verb
@lists
async def test_a_transition_takes_its_new_time_and_nothing_else_does(
    client: ApiClient, namespace: str, verb: Verb, field: str
) -> None:
    resource = GADGETS.inside(namespace)
    await client.create(resource, made(GADGETS, "moves"))
    for turn, status in enumerate(("True", "True", "False", "False")):
        await verb(client, resource, "moves", {field: observed(turn, status=status), "observedGeneration": turn})
    left = (await stored(client, resource, "moves"))["status"]
    assert {one["type"]: one["lastTransitionTime"] for one in left[field]} == {
        "Ready": instant(2),
        "Synced": instant(0),
    }
    assert left["observedGeneration"] == 3


async def test_the_decision_log_tells_that_the_write_became_none(
    client: ApiClient, namespace: str, restoring: Statuscap
) -> None:
    await rewrite(client, GADGETS.inside(namespace), "conditions", put, ["controller"])
    decisions = await restoring.decided(namespace=namespace, name="kept", outcome="Suppressed")
    assert {decision["reason"] for decision in decisions} == {"EqualAfterTrimming"}
    steps = [step["step"] for decision in decisions for each in decision["policies"] for step in each["steps"]]
    assert {*steps} == {"drop", "restoreTimes"}


@every_verb
async def test_managed_fields_do_not_grow_with_fields_that_are_dropped(
    client: ApiClient, namespace: str, verb: Verb
) -> None:
    resource = GADGETS.inside(namespace)
    await client.create(resource, made(GADGETS, "long"))
    sizes = []
    for turn in range(TURNS):
        history = [{"id": "only", "message": f"turn {turn}", "count": turn}]
        status = {"message": f"turn {turn}", "observedGeneration": 1000 + turn, "history": history}
        answer = await verb(client, resource, "long", status)
        assert answer.status == 200, answer.body
        if turn in (9, TURNS - 1):
            sizes.append(len((await record(client, resource, "long")).value))
    live = await stored(client, resource, "long")
    assert live["status"] == {"observedGeneration": 999 + TURNS, "history": [{"id": "only", "count": TURNS - 1}]}
    assert "f:message" not in str(live["metadata"]["managedFields"])
    assert sizes[1] <= sizes[0] + 8  # digits
