"""What the CRD would refuse is cut to what it allows, and stored."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.controlplane.client import ApiClient
from tests.controlplane.objects import BOUNDED_ITEMS, GADGETS, MESSAGE_LIMIT, gadgets
from tests.e2e.conftest import NamespaceMaker
from tests.e2e.etcd import stored
from tests.e2e.objects import made
from tests.e2e.policies import Scope, policy
from tests.e2e.product import Statuscap
from tests.e2e.verbs import VERBS, Verb, merge_patch

Json = dict[str, Any]

ITEMS = [f"item-{number}" for number in range(BOUNDED_ITEMS + 10)]
LETTERS = "ä€" * MESSAGE_LIMIT

TOO_LARGE = [
    pytest.param({"message": LETTERS}, {"message": LETTERS[:MESSAGE_LIMIT]}, id="a message"),
    pytest.param({"bounded": ITEMS}, {"bounded": ITEMS[:BOUNDED_ITEMS]}, id="a list"),
    pytest.param(
        {"bounded": ITEMS, "message": LETTERS, "phase": "Running"},
        {"bounded": ITEMS[:BOUNDED_ITEMS], "message": LETTERS[:MESSAGE_LIMIT], "phase": "Running"},
        id="both",
    ),
]


@pytest.fixture
async def place(client: ApiClient, new_namespace: NamespaceMaker, tmp_path: Path) -> AsyncIterator[str]:
    """A namespace in which statuses are cut to what the CRD allows, of which there is a file."""
    namespace = await new_namespace(Scope.OTHER)
    file = tmp_path / "gadgets.json"
    file.write_text(json.dumps(gadgets()))
    document = policy("fitting", mode="Enforce", scope=Scope.OTHER, trim=[{"fitSchema": {}}])
    async with Statuscap([document], name="fitting", flags=["--crds", str(file)]).in_charge(client):
        yield namespace


@pytest.mark.parametrize(("status", "_"), TOO_LARGE)
async def test_without_the_step_the_api_server_refuses_it(
    client: ApiClient, untouched: str, status: Json, _: Json
) -> None:
    resource = GADGETS.inside(untouched)
    await client.create(resource, made(GADGETS, "talks"))
    assert (await merge_patch(client, resource, "talks", status)).status == 422


@pytest.mark.parametrize("verb", VERBS.values(), ids=[*VERBS])
@pytest.mark.parametrize(("status", "left"), TOO_LARGE)
async def test_it_is_cut_and_stored(client: ApiClient, place: str, status: Json, left: Json, verb: Verb) -> None:
    resource = GADGETS.inside(place)
    await client.create(resource, made(GADGETS, "talks"))
    for _ in range(2):
        answer = await verb(client, resource, "talks", status)
        assert answer.status == 200, answer.body
        assert (await stored(client, resource, "talks"))["status"] == left


async def test_what_is_allowed_is_stored_as_it_is(client: ApiClient, place: str) -> None:
    resource = GADGETS.inside(place)
    await client.create(resource, made(GADGETS, "talks"))
    status = {"bounded": ITEMS[:BOUNDED_ITEMS], "message": LETTERS[:MESSAGE_LIMIT]}
    assert (await merge_patch(client, resource, "talks", status)).status == 200
    assert (await stored(client, resource, "talks"))["status"] == status
