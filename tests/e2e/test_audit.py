"""What the cluster's own audit log tells of a trim."""

from __future__ import annotations

import json
from typing import Any

from tests.controlplane.client import ApiClient
from tests.controlplane.objects import GADGETS
from tests.controlplane.servers import ControlPlane
from tests.controlplane.waiting import eventually
from tests.e2e.conftest import AUDITED
from tests.e2e.objects import conditions, made
from tests.e2e.policies import Scope
from tests.e2e.product import Statuscap
from tests.e2e.verbs import merge_patch

Json = dict[str, Any]

PATCH = "patch.webhook.admission.k8s.io/"
LARGEST_PATCH = 2048  # bytes; the ten conditions that stay would be 4,000


async def noted(plane: ControlPlane, name: str) -> Json:
    """Return the annotations of the one write to an object's status."""

    async def look() -> Json:
        lines = plane.audit_log.read_text().splitlines()
        events = [json.loads(line) for line in lines if f'"name":"{name}"' in line and '"subresource":"status"' in line]
        return events[0].get("annotations", {}) if events else {}

    return await eventually(look, within=10, what=f"an audit event of {name}")


async def test_the_audit_log_says_which_policy_removed_how_much(
    plane: ControlPlane, client: ApiClient, product: Statuscap
) -> None:
    assert product.ready()
    resource = GADGETS.inside(AUDITED)
    await client.create(resource, made(GADGETS, "noted"))
    await merge_patch(client, resource, "noted", {"conditions": conditions(message="m" * 300)})
    found = await noted(plane, "noted")
    ours = {key.rpartition("/")[2]: value for key, value in found.items() if "statuscap" in key.rpartition("/")[0]}
    assert ours["outcome"] == "Trimmed"
    assert ours["policies"] == Scope.ENFORCED
    assert int(ours["bytes-removed"]) > 20 * 300


async def test_the_patch_in_the_audit_log_is_smaller_than_what_stays(
    plane: ControlPlane, client: ApiClient, product: Statuscap
) -> None:
    assert product.ready()
    resource = GADGETS.inside(AUDITED)
    await client.create(resource, made(GADGETS, "small"))
    await merge_patch(client, resource, "small", {"conditions": conditions(message="m" * 300)})
    found = await noted(plane, "small")
    (patch,) = [value for key, value in found.items() if key.startswith(PATCH)]
    assert json.loads(patch)["patchType"] == "JSONPatch"
    assert len(patch) < LARGEST_PATCH
