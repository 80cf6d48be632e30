"""What a policy removed is in the decision log, when asked for: with the stored status it is the submitted one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import jsonpatch
import pytest
import pytest_asyncio

from tests.controlplane.client import ApiClient
from tests.controlplane.objects import GADGETS, NOSUBS, WIDGETS
from tests.controlplane.resources import Resource
from tests.e2e.conftest import NamespaceMaker
from tests.e2e.etcd import stored
from tests.e2e.objects import conditions, history, keyed_conditions, made
from tests.e2e.policies import Scope, policy
from tests.e2e.product import Statuscap
from tests.e2e.verbs import STATUS, VERBS, Verb, merge_patch

Json = dict[str, Any]

LONG: Json = {
    "conditions": conditions(message="m" * 2_000),
    "conditionsMap": keyed_conditions(),
    "history": history(),
    "message": "the text of <a tool> & more, " * 100,
    "phase": "Running",
}


@pytest_asyncio.fixture
async def archiving(client: ApiClient, tmp_path: Path) -> AsyncIterator[Statuscap]:
    """A product that keeps what it removes."""
    policies = [policy("archiving", mode="Enforce", scope=Scope.OTHER)]
    server = Statuscap(policies, name="archiving", flags=["--decision-log-values"], folder=tmp_path / "archiving")
    async with server.in_charge(client):
        yield server


def rebuilt(document: Json, decision: Json) -> Json:
    """The status that was submitted, of the object that was stored and the line about it."""
    assert "removedLeftOut" not in decision
    back: Json = jsonpatch.apply_patch(document, decision["removed"])["status"]
    return back


@pytest.mark.parametrize(
    ("kind", "subresource"),
    [(GADGETS, STATUS), (WIDGETS, STATUS), (NOSUBS, "")],
    ids=["typed", "preserve-unknown", "without a status subresource"],
)
async def test_the_submitted_status_can_be_had_again(
    client: ApiClient,
    archiving: Statuscap,
    new_namespace: NamespaceMaker,
    kind: Resource,
    subresource: str,
) -> None:
    namespace = await new_namespace(Scope.OTHER)
    resource = kind.inside(namespace)
    for name, verb in VERBS.items():
        await write_and_rebuild(client, archiving, resource, verb, f"o-{[*VERBS].index(name)}", subresource)


async def write_and_rebuild(
    client: ApiClient, archiving: Statuscap, resource: Resource, verb: Verb, name: str, subresource: str
) -> None:
    await client.create(resource, made(resource, name))
    answer = await verb(client, resource, name, LONG, subresource=subresource)
    assert answer.status == 200
    (decision,) = await archiving.decided(namespace=resource.namespace, name=name, outcome="Trimmed")
    assert rebuilt(await stored(client, resource, name), decision) == LONG


async def test_the_archive_of_a_no_op_has_what_its_writer_sent(
    client: ApiClient, archiving: Statuscap, new_namespace: NamespaceMaker
) -> None:
    namespace = await new_namespace(Scope.OTHER)
    resource = GADGETS.inside(namespace)
    await client.create(resource, made(GADGETS, "again"))
    for _ in range(2):
        await merge_patch(client, resource, "again", LONG)
    (decision,) = await archiving.decided(namespace=namespace, outcome="Suppressed")
    assert rebuilt(await stored(client, resource, "again"), decision) == LONG


async def test_a_status_of_two_megabytes_is_archived_whole(
    client: ApiClient, archiving: Statuscap, new_namespace: NamespaceMaker
) -> None:
    namespace = await new_namespace(Scope.OTHER)
    resource = WIDGETS.inside(namespace)
    status: Json = {"conditions": conditions(2_000, message="m" * 900), "phase": "Running"}
    await client.create(resource, made(WIDGETS, "rescued"))
    assert (await merge_patch(client, resource, "rescued", status)).status == 200
    (decision,) = await archiving.decided(namespace=namespace)
    assert rebuilt(await stored(client, resource, "rescued"), decision) == status
