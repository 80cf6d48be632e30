"""What a policy does before it is enforced, and what a person at a terminal sees of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.controlplane.client import ApiClient
from tests.controlplane.objects import GADGETS, NOSUBS
from tests.controlplane.servers import ControlPlane
from tests.e2e.conftest import NamespaceMaker
from tests.e2e.etcd import record, stored
from tests.e2e.kubectl import Kubectl
from tests.e2e.objects import KEPT, conditions, made
from tests.e2e.policies import Scope
from tests.e2e.product import Statuscap
from tests.e2e.verbs import VERBS, Verb, merge_patch

Json = dict[str, Any]

LONG: Json = {"conditions": conditions(), "phase": "Running"}
SHORT: Json = {**LONG, "conditions": LONG["conditions"][-KEPT:]}


@pytest.mark.parametrize("verb", VERBS.values(), ids=[*VERBS])
async def test_a_policy_in_dry_run_stores_the_status_whole_and_logs_what_it_would_have_trimmed(
    client: ApiClient, product: Statuscap, new_namespace: NamespaceMaker, verb: Verb
) -> None:
    namespace = await new_namespace(Scope.DRY_RUN)
    resource = GADGETS.inside(namespace)
    await client.create(resource, made(GADGETS, "watched"))
    answer = await verb(client, resource, "watched", LONG)
    assert (answer.status, answer.warnings) == (200, [])
    assert (await stored(client, resource, "watched"))["status"] == LONG
    decision, *_ = await product.decided(namespace=namespace, name="watched")
    assert decision["outcome"] == "WouldTrim"
    assert decision["bytesBefore"] > decision["bytesAfter"] > 0
    (judged,) = decision["policies"]
    assert (judged["name"], judged["mode"], judged["outcome"]) == ("dry-run", "DryRun", "WouldTrim")
    assert sum(step["bytes"] for step in judged["steps"]) > 0


async def test_a_policy_in_warn_stores_the_status_whole_and_warns_the_writer(
    plane: ControlPlane, client: ApiClient, product: Statuscap, new_namespace: NamespaceMaker, tmp_path: Path
) -> None:
    assert product.ready()
    namespace = await new_namespace(Scope.WARNED)
    resource = GADGETS.inside(namespace)
    await client.create(resource, made(GADGETS, "warned"))
    shown = await Kubectl(plane, namespace, tmp_path).patch_status("gadget/warned", LONG)
    assert (shown.code, shown.errors.splitlines()[0].split(" ")[:4]) == (
        0,
        ["Warning:", "statuscap:", "policy", "warned"],
    )
    assert (await stored(client, resource, "warned"))["status"] == LONG


async def test_kubectl_says_nothing_when_a_policy_is_enforced(
    plane: ControlPlane, client: ApiClient, namespace: str, tmp_path: Path
) -> None:
    await client.create(GADGETS.inside(namespace), made(GADGETS, "quiet"))
    shown = await Kubectl(plane, namespace, tmp_path).patch_status("gadget/quiet", LONG, "-o", "json")
    assert (shown.code, shown.errors) == (0, "")
    assert shown.object["status"] == SHORT


async def test_a_server_side_dry_run_shows_the_trimmed_object_and_stores_nothing(
    plane: ControlPlane, client: ApiClient, product: Statuscap, namespace: str, tmp_path: Path
) -> None:
    resource = GADGETS.inside(namespace)
    await client.create(resource, made(GADGETS, "tried"))
    before = await record(client, resource, "tried")
    shown = await Kubectl(plane, namespace, tmp_path).patch_status(
        "gadget/tried", LONG, "--dry-run=server", "-o", "json"
    )
    assert shown.object["status"] == SHORT
    assert await record(client, resource, "tried") == before
    decision, *_ = await product.decided(namespace=namespace, name="tried")
    assert (decision["outcome"], decision["requestDryRun"]) == ("Trimmed", True)


async def test_a_server_side_dry_run_of_a_creation_stores_nothing(
    plane: ControlPlane, client: ApiClient, namespace: str, tmp_path: Path
) -> None:
    shown = await Kubectl(plane, namespace, tmp_path)(
        "create", "--dry-run=server", "-f", "-", "-o", "json", stdin=made(NOSUBS, "never", status=LONG)
    )
    assert shown.object["status"] == SHORT
    with pytest.raises(LookupError):
        await record(client, NOSUBS.inside(namespace), "never")


async def test_a_real_write_is_not_called_a_dry_run(client: ApiClient, product: Statuscap, namespace: str) -> None:
    resource = GADGETS.inside(namespace)
    await client.create(resource, made(GADGETS, "real"))
    await merge_patch(client, resource, "real", LONG)
    decision, *_ = await product.decided(namespace=namespace, name="real")
    assert decision["requestDryRun"] is False
