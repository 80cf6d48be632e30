"""A service account that may keep one Secret and one registration and nothing else, and what is in both."""

from __future__ import annotations

import base64
import json
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from admission.certificates.bundle import Bundle
from admission.certificates.secretdata import of_data
from tests.controlplane.client import ApiClient
from tests.controlplane.resources import MUTATING_WEBHOOKS, Resource
from tests.controlplane.servers import ControlPlane
from tests.e2e.clusterreader import ACCOUNTS, BINDINGS, RBAC, ROLES, config_for, made

Json = dict[str, Any]

SECRETS = Resource("", "v1", "secrets")
NAMESPACE = "default"


def rules(secret: str, registration: str) -> list[Json]:
    """The least that keeping a certificate takes: by name, but for the creation of the Secret."""
    return [
        {"apiGroups": [""], "resources": ["secrets"], "resourceNames": [secret], "verbs": ["get", "patch"]},
        {"apiGroups": [""], "resources": ["secrets"], "verbs": ["create"]},
        {
            "apiGroups": ["admissionregistration.k8s.io"],
            "resources": ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
            "resourceNames": [registration],
            "verbs": ["get", "patch"],
        },
    ]


@dataclass(frozen=True, slots=True)
class Custody:
    """One Secret and one registration."""

    client: ApiClient
    secret: str
    registration: str
    kubeconfig: Path

    @property
    def flag(self) -> str:
        """As ``--cert-secret`` takes it."""
        return f"{NAMESPACE}/{self.secret}"

    async def data(self) -> dict[str, bytes]:
        """What is in the Secret; nothing when there is none."""
        answer = await self.client.get(SECRETS, self.secret)
        return {key: base64.b64decode(text) for key, text in (answer.body.get("data") or {}).items()}

    async def bundle(self) -> Bundle:
        """What the Secret says, which has to be sound."""
        reading = of_data(await self.data())
        assert reading.problems == ()
        assert reading.bundle is not None
        return reading.bundle

    async def put(self, data: dict[str, bytes]) -> None:
        """Write keys of the Secret by hand."""
        encoded = {key: base64.b64encode(content).decode() for key, content in data.items()}
        assert (await self.client.merge_patch(SECRETS, self.secret, {"data": encoded})).status == 200

    async def published(self) -> list[bytes]:
        """The caBundle of each webhook that mutates."""
        answer = await self.client.get(MUTATING_WEBHOOKS, self.registration)
        assert answer.status == 200, answer.body
        configs = [webhook["clientConfig"] for webhook in answer.body["webhooks"]]
        return [base64.b64decode(config.get("caBundle", "")) for config in configs]


async def custody(client: ApiClient, plane: ControlPlane, folder: Path) -> Custody:
    """Make a service account for a Secret and a registration of its own."""
    name = f"kept-{secrets.token_hex(4)}"
    await made(client, ACCOUNTS, {"metadata": {"name": name}})
    await made(client, ROLES, {"metadata": {"name": name}, "rules": rules(name, name)})
    subject = {"kind": "ServiceAccount", "name": name, "namespace": ACCOUNTS.namespace}
    reference = {"apiGroup": RBAC, "kind": "ClusterRole", "name": name}
    await made(client, BINDINGS, {"metadata": {"name": name}, "roleRef": reference, "subjects": [subject]})
    answer = await client.request("POST", ACCOUNTS.path(name, "token"), {"spec": {"expirationSeconds": 3600}})
    assert answer.status == 201, answer.body
    return Custody(client, name, name, config_for(plane, answer.body["status"]["token"], folder))


def long_ago(rotation: bytes) -> bytes:
    """A rotation whose next CA has been known for long: nobody wants to wait for it."""
    told = json.loads(rotation)
    assert told["knownSince"] is not None
    return json.dumps({**told, "knownSince": "2020-01-01T00:00:00Z"}).encode()
