"""A status that a schema came to refuse after it was stored: v1.30 accepts no write of such an object any more."""

from __future__ import annotations

from typing import Any

import pytest

from tests.controlplane.client import ApiClient
from tests.controlplane.resources import Resource
from tests.e2e.conftest import NamespaceMaker
from tests.e2e.etcd import stored
from tests.e2e.policies import Scope, policy
from tests.e2e.product import Statuscap
from tests.e2e.tightened import ALLOWED, ITEMS, OLD, tightened
from tests.e2e.verbs import Verb, merge_patch, put

Json = dict[str, Any]

FIT = ITEMS[-ALLOWED:]


def fits(belts: Resource) -> Statuscap:
    """Return a product that trims to what the stricter schema allows."""
    cap = {"capList": {"path": "status.items", "max": ALLOWED, "order": "NewestLast"}}
    document = policy("fits", mode="Enforce", scope=Scope.OTHER, trim=[cap])
    document["spec"]["match"]["resources"] = [{"apiGroups": [belts.group], "resources": [f"{belts.plural}/status"]}]
    return Statuscap([document], name="fits")


@pytest.mark.parametrize(
    ("verb", "status", "expected"),
    [
        pytest.param(put, {"items": ITEMS}, {"items": FIT}, id="PUT of all items"),
        pytest.param(
            merge_patch, {"phase": "Done"}, {"items": FIT, "phase": "Done"}, id="merge patch of another field"
        ),
    ],
)
async def test_a_status_that_a_stricter_schema_refuses_is_written_once_a_policy_trims_it_to_fit(
    client: ApiClient, new_namespace: NamespaceMaker, verb: Verb, status: Json, expected: Json
) -> None:
    async with tightened(client, await new_namespace(Scope.OTHER)) as belts, fits(belts).in_charge(client):
        answer = await verb(client, belts, OLD, status)
        assert answer.status == 200, answer.body
        assert (await stored(client, belts, OLD))["status"] == expected
