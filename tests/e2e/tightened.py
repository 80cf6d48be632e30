"""A kind whose schema gets stricter after an object was stored."""

from __future__ import annotations

import copy
import secrets
from typing import Any

from tests.controlplane.client import ApiClient
from tests.controlplane.objects import STRING, crd, with_status
from tests.controlplane.resources import CRDS, Resource
from tests.controlplane.waiting import eventually

Json = dict[str, Any]

GROUP = "tightened.example.com"
ITEMS = ["x"] * 3


def loose() -> Json:
    """Return the CRD as it was when the object was stored."""
    items = {"type": "array", "items": STRING, "maxItems": len(ITEMS)}
    fields = {"items": items, "phase": STRING}
    return crd(GROUP, "Belt", "belts", schema=with_status({"type": "object", "properties": fields}))


def tight(document: Json) -> Json:
    """Return the CRD with one item fewer."""
    stricter = copy.deepcopy(document)
    schema = stricter["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema["properties"]["status"]["properties"]["items"]["maxItems"] = len(ITEMS) - 1
    return stricter


async def accepts_what_stayed(client: ApiClient) -> bool:
    """Store what the schema allows, tighten the schema, and tell whether another field can still be written."""
    belts = Resource(GROUP, "v1", "belts")
    name = f"{belts.plural}.{GROUP}"
    assert (await client.create(CRDS, loose())).status == 201
    await client.wait_for_crd(name)
    try:
        old, new = (f"{age}-{secrets.token_hex(4)}" for age in ("old", "new"))
        for belt in (old, new):
            made = {"apiVersion": f"{GROUP}/v1", "kind": "Belt", "metadata": {"name": belt}}
            assert (await client.create(belts, made)).status == 201
        assert await written(client, belts, old, {"items": ITEMS}) == 200
        assert (await client.replace(CRDS, tight((await client.get(CRDS, name)).body))).status == 200
        await refuses(client, belts, new)
        code = await written(client, belts, old, {"phase": "Running"})
        assert code in {200, 422}
        return code == 200
    finally:
        await client.delete(CRDS, name)


async def refuses(client: ApiClient, belts: Resource, name: str) -> None:
    """Return when the stricter schema is in force."""

    async def look() -> bool:
        answer = await client.merge_patch(
            belts, name, {"status": {"items": ITEMS}}, subresource="status", request_dry_run=True
        )
        return answer.status == 422

    await eventually(look, what="the stricter schema")


async def written(client: ApiClient, belts: Resource, name: str, status: Json) -> int:
    """Write a status and return the answer's code."""
    return (await client.merge_patch(belts, name, {"status": status}, subresource="status")).status
