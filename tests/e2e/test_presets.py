"""The shipped policies, on kinds in the shape of those they are for, written as their controllers write them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import pytest_asyncio

from tests.controlplane.client import ApiClient
from tests.controlplane.resources import CRDS
from tests.controlplane.servers import ControlPlane
from tests.e2e.conftest import NamespaceMaker, on_a_loop_of_its_own
from tests.e2e.etcd import record, stored
from tests.e2e.policies import Scope
from tests.e2e.presets import PRESETS, TURNS, Preset
from tests.e2e.product import Statuscap

every_preset = pytest.mark.parametrize("preset", PRESETS, ids=[preset.name for preset in PRESETS])


@pytest.fixture(scope="module")
def shipped(plane: ControlPlane) -> Iterator[Statuscap]:
    """A product with the shipped policies, enforced, and the kinds that they are for."""
    with Statuscap([f"preset:{preset.name}" for preset in PRESETS], mode="Enforce", name="shipped") as running:
        on_a_loop_of_its_own(install(plane, running))
        yield running
        on_a_loop_of_its_own(leave(plane, running))


async def install(plane: ControlPlane, product: Statuscap) -> None:
    async with ApiClient.connect(plane) as client:
        for preset in PRESETS:
            assert (await client.create(CRDS, preset.crd())).status == 201
        for preset in PRESETS:
            await client.wait_for_crd(f"{preset.resource.plural}.{preset.resource.group}")
        await product.register(client)


async def leave(plane: ControlPlane, product: Statuscap) -> None:
    async with ApiClient.connect(plane) as client:
        await product.unregister(client)


async def reconcile(client: ApiClient, preset: Preset, namespace: str, turns: range) -> None:
    """Read the object, grow its status and write it back, as its controller does: so many times."""
    resource = preset.resource.inside(namespace)
    live = (await client.get(resource, "one")).body
    for turn in turns:
        status = preset.grow(live.get("status", {}), turn)
        answer = await client.replace(resource, {**live, "status": status}, subresource=preset.subresource)
        assert answer.status == 200, answer.body
        live = answer.body


@pytest_asyncio.fixture
async def namespace(client: ApiClient, new_namespace: NamespaceMaker, shipped: Statuscap) -> str:
    """A namespace with one object of every kind."""
    assert shipped.ready()
    name = await new_namespace(Scope.OTHER)
    for preset in PRESETS:
        assert (await client.create(preset.resource.inside(name), preset.made("one"))).status == 201
    return name


@every_preset
async def test_a_status_that_its_controller_makes_longer_and_longer_stays_short(
    client: ApiClient, namespace: str, preset: Preset
) -> None:
    await reconcile(client, preset, namespace, range(TURNS))
    in_etcd = await stored(client, preset.resource.inside(namespace), "one")
    assert preset.kept(in_etcd["status"]) == preset.expected
    assert in_etcd["spec"] == {"queue": "default"}


@every_preset
async def test_the_object_does_not_grow_once_its_lists_are_full(
    client: ApiClient, namespace: str, preset: Preset
) -> None:
    resource = preset.resource.inside(namespace)
    await reconcile(client, preset, namespace, range(TURNS // 2))
    half = len((await record(client, resource, "one")).value)
    await reconcile(client, preset, namespace, range(TURNS // 2, TURNS))
    assert len((await record(client, resource, "one")).value) <= half + 100  # digits


@every_preset
async def test_a_controller_that_writes_the_same_again_writes_nothing(
    client: ApiClient, namespace: str, preset: Preset
) -> None:
    resource = preset.resource.inside(namespace)
    await reconcile(client, preset, namespace, range(TURNS))
    live = (await client.get(resource, "one")).body
    status = preset.grow(live["status"], TURNS)
    written = []
    for _ in range(3):
        body = {**(await client.get(resource, "one")).body, "status": status}
        assert (await client.replace(resource, body, subresource=preset.subresource)).status == 200
        written.append(await record(client, resource, "one"))
    assert written[0] == written[1] == written[2]
