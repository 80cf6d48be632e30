"""Await that kube-apiserver obeys every change of webhook configurations made so far.

It learns of them through a watch, in order. So another configuration that refuses a marked write is added last: as
soon as that write is refused, everything before it is in force.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import Any

from tests.controlplane.client import ApiClient
from tests.controlplane.loopback import HOST
from tests.controlplane.resources import CONFIG_MAPS, MUTATING_WEBHOOKS, Resource
from tests.controlplane.waiting import eventually

MARK = "barrier.statuscap.dev"
NOBODY = f"https://{HOST}:1"  # nobody listens there, and a refused connection costs nothing
KINDS = {MUTATING_WEBHOOKS: "MutatingWebhookConfiguration"}


async def obeyed(client: ApiClient, kinds: Iterable[Resource] = (MUTATING_WEBHOOKS,)) -> None:
    """Return when configurations of these kinds that were created or deleted before are in force.

    Mutating and validating configurations are watched apart, so each kind needs a look of its own.
    """
    for kind in {*kinds}:
        await _obeyed(client, kind)


async def _obeyed(client: ApiClient, kind: Resource) -> None:
    name = f"barrier-{secrets.token_hex(4)}"
    created = await client.create(kind, barrier(kind, name))
    assert created.status == 201, created.body
    try:
        await eventually(lambda: _refused(client, name), what=f"obedience to {kind.plural}")
    finally:
        await client.delete(kind, name)


async def _refused(client: ApiClient, name: str) -> bool:
    """Try a marked write, as a dry run: nothing is stored before the barrier is in force either."""
    marked = {"metadata": {"name": name, "labels": {MARK: name}}}
    return (await client.create(CONFIG_MAPS, marked, request_dry_run=True)).status == 500


def barrier(kind: Resource, name: str) -> dict[str, Any]:
    """Return a configuration whose webhook cannot be reached and therefore refuses what carries its mark."""
    webhook = {
        "name": MARK,
        "clientConfig": {"url": NOBODY},
        "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}],
        "objectSelector": {"matchLabels": {MARK: name}},
        "failurePolicy": "Fail",
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    }
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": KINDS.get(kind, "ValidatingWebhookConfiguration"),
        "metadata": {"name": name},
        "webhooks": [webhook],
    }
