"""A kind whose schema got stricter after an object was stored, so that what is stored is more than it allows."""

from __future__ import annotations

import contextlib
import copy
import secrets
from collections.abc import AsyncIterator
from typing import Any

from tests.controlplane.client import ApiClient
from tests.controlplane.objects import STRING, crd, with_status
from tests.controlplane.resources import CRDS, Resource
from tests.controlplane.waiting import eventually
from tests.e2e.verbs import STATUS, merge_patch

Json = dict[str, Any]

OLD, NEW = "old", "new"
ALLOWED = 5  # items, once the schema is stricter
ITEMS = [f"item-{number}" for number in range(2 * ALLOWED)]


def loose(belts: Resource) -> Json:
    """Return the CRD as it was when the object was stored."""
    fields = {"items": {"type": "array", "items": STRING, "maxItems": len(ITEMS)}, "phase": STRING}
    return crd(belts.group, "Belt", belts.plural, schema=with_status({"type": "object", "properties": fields}))


def tight(document: Json) -> Json:
    """Return the CRD as it is now."""
    stricter = copy.deepcopy(document)
    schema = stricter["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema["properties"]["status"]["properties"]["items"]["maxItems"] = ALLOWED
    return stricter


@contextlib.asynccontextmanager
async def tightened(client: ApiClient, namespace: str) -> AsyncIterator[Resource]:
    """Yield a kind in a namespace, with an object ``OLD`` whose status has more items than the schema allows.

    The kind is of a group of its own, so that it need not await the end of an earlier one.
    """
    belts = Resource(f"{secrets.token_hex(4)}.example.com", "v1", "belts", namespace)
    name = f"{belts.plural}.{belts.group}"
    assert (await client.create(CRDS, loose(belts))).status == 201
    try:
        await client.wait_for_crd(name)
        for belt in (OLD, NEW):
            made = {"apiVersion": f"{belts.group}/{belts.version}", "kind": "Belt", "metadata": {"name": belt}}
            assert (await client.create(belts, made)).status == 201
        assert (await merge_patch(client, belts, OLD, {"items": ITEMS})).status == 200
        assert (await client.replace(CRDS, tight((await client.get(CRDS, name)).body))).status == 200
        await eventually(lambda: refused(client, belts), what="the stricter schema")
        yield belts
    finally:
        await client.delete(CRDS, name)


async def refused(client: ApiClient, belts: Resource) -> bool:
    """Tell whether the stricter schema is in force, by a dry run: what was stored once is accepted again."""
    patch = {"status": {"items": ITEMS}}
    return (await client.merge_patch(belts, NEW, patch, subresource=STATUS, request_dry_run=True)).status == 422


async def accepts_what_stayed(client: ApiClient) -> bool:
    """Tell whether the object can still be written, as long as the items that are too many stay as they were."""
    async with tightened(client, "default") as belts:
        answer = await merge_patch(client, belts, OLD, {"phase": "Running"})
        assert answer.status in {200, 422}, answer.body
        return answer.status == 200
