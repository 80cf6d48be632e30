"""A service account that may read the CRDs of a cluster and nothing else, and the command that asks as it."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.controlplane.client import ApiClient
from tests.controlplane.kubeconfig import kubeconfig
from tests.controlplane.resources import Resource
from tests.controlplane.servers import ControlPlane
from tests.e2e.product import COMMAND

Json = dict[str, Any]

RBAC = "rbac.authorization.k8s.io"
ACCOUNTS = Resource("", "v1", "serviceaccounts")
ROLES = Resource(RBAC, "v1", "clusterroles", namespace=None)
BINDINGS = Resource(RBAC, "v1", "clusterrolebindings", namespace=None)
RULE = {
    "apiGroups": ["apiextensions.k8s.io"],
    "resources": ["customresourcedefinitions"],
    "verbs": ["get", "list", "watch"],
}


async def made(client: ApiClient, resource: Resource, document: Json) -> None:
    """Create something, or fail."""
    answer = await client.create(resource, document)
    assert answer.status == 201, answer.body


async def account(client: ApiClient, *verbs: str) -> str:
    """Make a service account that may do so much with CRDs and nothing else; returns its token."""
    name = f"reader-{secrets.token_hex(4)}"
    await made(client, ACCOUNTS, {"metadata": {"name": name}})
    if verbs:
        await made(client, ROLES, {"metadata": {"name": name}, "rules": [{**RULE, "verbs": [*verbs]}]})
        subject = {"kind": "ServiceAccount", "name": name, "namespace": ACCOUNTS.namespace}
        reference = {"apiGroup": RBAC, "kind": "ClusterRole", "name": name}
        await made(client, BINDINGS, {"metadata": {"name": name}, "roleRef": reference, "subjects": [subject]})
    answer = await client.request("POST", ACCOUNTS.path(name, "token"), {"spec": {"expirationSeconds": 3600}})
    assert answer.status == 201, answer.body
    token: str = answer.body["status"]["token"]
    return token


def config_for(plane: ControlPlane, token: str, folder: Path) -> Path:
    """A kubeconfig with this token."""
    path = folder / f"kubeconfig-{secrets.token_hex(4)}"
    path.write_text(json.dumps(kubeconfig(plane.url, plane.ca_path.read_bytes(), token)))
    return path


@dataclass(frozen=True, slots=True)
class Ended:
    """A command that has ended."""

    code: int
    out: str
    errors: str


async def statuscap(*arguments: str, kubeconfig: Path) -> Ended:
    """Run the command in the way that a person does."""
    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        *arguments,
        env={**os.environ, "KUBECONFIG": str(kubeconfig)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, errors = await process.communicate()
    assert process.returncode is not None
    return Ended(process.returncode, out.decode(), errors.decode())
