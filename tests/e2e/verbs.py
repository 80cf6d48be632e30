"""The four ways in which a controller writes a status, each with the status as the whole of what it says."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, Protocol

from tests.controlplane.client import Answer, ApiClient
from tests.controlplane.resources import Resource
from tests.e2e.objects import said

Json = dict[str, Any]
STATUS = "status"


class Verb(Protocol):
    """One write. ``subresource`` is empty for a kind whose status is written with the rest."""

    def __call__(
        self,
        client: ApiClient,
        resource: Resource,
        name: str,
        status: Json,
        *,
        manager: str = "controller",
        subresource: str = STATUS,
        dry_run: bool = False,
    ) -> Awaitable[Answer]: ...


async def put(
    client: ApiClient,
    resource: Resource,
    name: str,
    status: Json,
    *,
    manager: str = "controller",
    subresource: str = STATUS,
    dry_run: bool = False,
) -> Answer:
    """Read the object and write it back with this status."""
    live = (await client.get(resource, name)).body
    return await client.replace(
        resource, {**live, "status": status}, subresource=subresource, field_manager=manager, dry_run=dry_run
    )


async def json_patch(
    client: ApiClient,
    resource: Resource,
    name: str,
    status: Json,
    *,
    manager: str = "controller",
    subresource: str = STATUS,
    dry_run: bool = False,
) -> Answer:
    """Put the status in the place of whatever is there."""
    operations = [{"op": "add", "path": "/status", "value": status}]
    return await client.json_patch(
        resource, name, operations, subresource=subresource, field_manager=manager, dry_run=dry_run
    )


async def merge_patch(
    client: ApiClient,
    resource: Resource,
    name: str,
    status: Json,
    *,
    manager: str = "controller",
    subresource: str = STATUS,
    dry_run: bool = False,
) -> Answer:
    """Replace the fields that the status names."""
    return await client.merge_patch(
        resource, name, {"status": status}, subresource=subresource, field_manager=manager, dry_run=dry_run
    )


async def apply(
    client: ApiClient,
    resource: Resource,
    name: str,
    status: Json,
    *,
    manager: str = "controller",
    subresource: str = STATUS,
    dry_run: bool = False,
) -> Answer:
    """Apply the status as everything that this manager wants to own."""
    body = said(resource, name, status)
    return await client.apply(resource, body, subresource=subresource, field_manager=manager, dry_run=dry_run)


VERBS: dict[str, Verb] = {"PUT": put, "JSON patch": json_patch, "merge patch": merge_patch, "server-side apply": apply}
