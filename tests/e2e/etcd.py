"""Look at an object as etcd has it."""

from __future__ import annotations

import json
from typing import Any

from tests.controlplane.client import ApiClient, EtcdRecord
from tests.controlplane.resources import Resource

Json = dict[str, Any]


async def record(client: ApiClient, resource: Resource, name: str) -> EtcdRecord:
    """Return the key of an object: a write that was a no-op leaves it equal."""
    return await client.etcd_record(resource.group, resource.plural, resource.namespace, name)


async def stored(client: ApiClient, resource: Resource, name: str) -> Json:
    """Return the object in etcd, decoded."""
    document: Json = json.loads((await record(client, resource, name)).value)
    return document
