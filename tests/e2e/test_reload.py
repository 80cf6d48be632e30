"""Policies and certificates change while controllers write."""

from __future__ import annotations

import asyncio
import json
import ssl
from pathlib import Path
from typing import Any

import pytest_asyncio
import trustme
from cryptography import x509

from tests.controlplane.client import ApiClient
from tests.controlplane.objects import GADGETS
from tests.controlplane.resources import Resource
from tests.e2e.conftest import NamespaceMaker
from tests.e2e.load import writing
from tests.e2e.mount import swap
from tests.e2e.objects import KEPT, made
from tests.e2e.policies import Scope, policy
from tests.e2e.product import Statuscap
from tests.e2e.test_lifecycle import fail_open, length

WRITERS = 4
FEWER = 6  # one more than there are types


def keeping(count: int) -> dict[str, Any]:
    """The policy of this file, keeping so many conditions."""
    return policy("reloaded", mode="Enforce", scope=Scope.OTHER, trim=[{"capConditions": {"max": count}}])


@pytest_asyncio.fixture
async def resource(new_namespace: NamespaceMaker, client: ApiClient) -> Resource:
    """Gadgets of a namespace of its own; one is there."""
    gadgets = GADGETS.inside(await new_namespace(Scope.OTHER))
    await client.create(gadgets, made(GADGETS, "one"))
    return gadgets


async def test_the_next_write_is_judged_by_an_edited_policy_and_none_fails(
    client: ApiClient, resource: Resource
) -> None:
    async with Statuscap([keeping(KEPT)], name="edited").in_charge(client) as product:
        before = await fail_open(client)
        async with writing(client, resource, WRITERS) as load:
            await load.more(20)
            product.write_policy(keeping(FEWER))
            line = await product.said("policies reloaded")
            assert await length(client, resource) == FEWER
            await load.more(20)
        assert line["changed"] == ["reloaded"]
        assert {status for status, _ in load.answers} == {200}
        assert {kept for _, kept in load.answers} == {KEPT, FEWER}, "by the old policy or the new, never by none"
        assert await fail_open(client) == before


async def test_a_broken_edit_changes_nothing(client: ApiClient, resource: Resource) -> None:
    async with Statuscap([keeping(KEPT)], name="broken").in_charge(client) as product:
        broken = keeping(FEWER)
        broken["spec"]["trim"][0]["capConditions"]["max"] = "few"
        product.write_policy(broken)
        line = await product.said("policies not reloaded")
        assert "spec.trim[0].capConditions.max" in line["problems"][0]
        assert await length(client, resource) == KEPT
        assert product.ready()


async def test_a_mounted_config_map_is_followed(client: ApiClient, resource: Resource, tmp_path: Path) -> None:
    def mounted(count: int) -> dict[str, bytes]:
        return {"policy.yaml": json.dumps(keeping(count)).encode()}

    swap(tmp_path / "policies", mounted(KEPT))
    async with Statuscap([tmp_path / "policies"], name="mounted").in_charge(client) as product:
        assert await length(client, resource) == KEPT
        swap(tmp_path / "policies", mounted(FEWER))
        await product.said("policies reloaded")
        assert await length(client, resource) == FEWER


def shown(product: Statuscap) -> int:
    """The serial number of the certificate that a new connection sees."""
    port = int(product.url.rpartition(":")[2])
    return x509.load_pem_x509_certificate(ssl.get_server_certificate(("127.0.0.1", port)).encode()).serial_number


async def test_a_certificate_is_renewed_under_writes_and_no_call_fails(client: ApiClient, resource: Resource) -> None:
    flags = ["--max-connection-age", "500ms"]  # so that the API server connects again and again
    product = Statuscap([keeping(KEPT)], name="renewed", ca=trustme.CA(), flags=flags)
    async with product.in_charge(client):
        before = await fail_open(client)
        serials = {await asyncio.to_thread(shown, product)}
        async with writing(client, resource, WRITERS) as load:
            for times in (1, 2, 3):
                await asyncio.to_thread(product.renew_certificate)
                await product.said("certificate reloaded", times=times)
                serials.add(await asyncio.to_thread(shown, product))
                await load.more(40)
        assert {*load.answers} == {(200, KEPT)}
        assert await fail_open(client) == before
    assert len(serials) == 4
