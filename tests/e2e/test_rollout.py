"""A policy for a part of the objects, and one for a group that the API server serves itself."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from admission.engine.rollout import share_of
from tests.controlplane.client import ApiClient
from tests.controlplane.objects import GADGETS, GROUP
from tests.controlplane.resources import Resource
from tests.controlplane.servers import ControlPlane
from tests.e2e.conftest import NamespaceMaker, in_charge
from tests.e2e.etcd import stored
from tests.e2e.objects import KEPT, SENT, conditions, made
from tests.e2e.policies import Scope, policy
from tests.e2e.product import Statuscap
from tests.e2e.verbs import merge_patch
from tests.engine.build import write

Json = dict[str, Any]

PERCENT = 25
OBJECTS = 40
DEPLOYMENTS = Resource("apps", "v1", "deployments")
DEPLOYMENT: Json = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web"},
    "spec": {
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "web", "image": "example.com/web"}]},
        },
    },
}


@pytest.fixture(scope="module")
def partly(plane: ControlPlane) -> Iterator[Statuscap]:
    """A product whose policy reaches a quarter of the gadgets, and one for Deployments."""
    some = policy("some", mode="Enforce", scope=Scope.OTHER)
    some["spec"]["rollout"] = {"percent": PERCENT}
    core = policy("core", mode="Enforce", scope=Scope.OTHER)
    core["spec"]["allowCore"] = True
    core["spec"]["match"]["resources"] = [{"apiGroups": ["apps"], "resources": ["deployments/status"]}]
    core["spec"]["trim"] = [{"truncate": {"paths": ["status.conditions[*].message"], "maxBytes": 100, "keep": "Head"}}]
    with in_charge(plane, Statuscap([some, core], name="partly")) as running:
        yield running


async def test_a_part_of_the_objects_is_trimmed_and_the_others_are_observed(
    client: ApiClient, partly: Statuscap, new_namespace: NamespaceMaker
) -> None:
    assert partly.ready()
    namespace = await new_namespace(Scope.OTHER)
    resource = GADGETS.inside(namespace)
    names = [f"g{number}" for number in range(OBJECTS)]

    async def left(name: str) -> int:
        await client.create(resource, made(GADGETS, name))
        assert (await merge_patch(client, resource, name, {"conditions": conditions()})).status == 200
        return len((await stored(client, resource, name))["status"]["conditions"])

    found = dict(zip(names, await asyncio.gather(*map(left, names)), strict=True))
    reached = {name for name in names if is_reached(namespace, name)}
    assert found == {name: KEPT if name in reached else SENT for name in names}
    assert 0 < len(reached) < OBJECTS
    outside = next(name for name in names if name not in reached)
    decision, *_ = await partly.decided(namespace=namespace, name=outside)
    (judged,) = decision["policies"]
    assert (judged["mode"], judged["outcome"], judged["reason"]) == ("DryRun", "WouldTrim", "OutsideRollout")


def is_reached(namespace: str, name: str) -> bool:
    share = share_of(write({}, {}, group=GROUP, resource=GADGETS.plural, namespace=namespace, name=name))
    return share is not None and share < PERCENT


async def test_a_policy_that_says_so_trims_what_the_api_server_serves_itself(
    client: ApiClient, partly: Statuscap, new_namespace: NamespaceMaker
) -> None:
    assert partly.ready()
    resource = DEPLOYMENTS.inside(await new_namespace(Scope.OTHER))
    assert (await client.create(resource, DEPLOYMENT)).status == 201
    condition = {"type": "Available", "status": "False", "reason": "Slow", "message": "x" * 500}
    answer = await merge_patch(client, resource, "web", {"conditions": [condition]})
    assert answer.status == 200
    (kept,) = answer.body["status"]["conditions"]
    assert len(kept["message"].encode()) == 100
