"""The four ways in which a controller writes a status, each with the status as the whole of what it says."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from tests.controlplane.client import Answer, ApiClient
from tests.controlplane.resources import Resource
from tests.e2e.objects import said

Json = dict[str, Any]
STATUS = "status"


@dataclass(frozen=True, slots=True)
class Write:
    """One status for one object. ``subresource`` is empty for a kind whose status is written with the rest."""

    client: ApiClient
    resource: Resource
    name: str
    status: Json
    manager: str
    subresource: str


@dataclass(frozen=True, slots=True)
class Verb:
    """One way to write; ``send`` does it."""

    send: Callable[[Write], Awaitable[Answer]]

    async def __call__(
        self,
        client: ApiClient,
        resource: Resource,
        name: str,
        status: Json,
        *,
        manager: str = "controller",
        subresource: str = STATUS,
    ) -> Answer:
        """Write a status and return the API server's answer."""
        return await self.send(Write(client, resource, name, status, manager, subresource))


@Verb
async def put(write: Write) -> Answer:
    """Read the object and write it back with this status."""
    live = (await write.client.get(write.resource, write.name)).body
    body = {**live, "status": write.status}
    return await write.client.replace(write.resource, body, subresource=write.subresource, field_manager=write.manager)


@Verb
async def json_patch(write: Write) -> Answer:
    """Put the status in the place of whatever is there."""
    operations = [{"op": "add", "path": "/status", "value": write.status}]
    return await write.client.json_patch(
        write.resource, write.name, operations, subresource=write.subresource, field_manager=write.manager
    )


@Verb
async def merge_patch(write: Write) -> Answer:
    """Replace the fields that the status names."""
    patch = {"status": write.status}
    return await write.client.merge_patch(
        write.resource, write.name, patch, subresource=write.subresource, field_manager=write.manager
    )


@Verb
async def apply(write: Write) -> Answer:
    """Apply the status as everything that this manager wants to own."""
    body = said(write.resource, write.name, write.status)
    return await write.client.apply(write.resource, body, subresource=write.subresource, field_manager=write.manager)


VERBS: dict[str, Verb] = {"PUT": put, "JSON patch": json_patch, "merge patch": merge_patch, "server-side apply": apply}
