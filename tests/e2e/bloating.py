"""A mutating webhook of somebody else, which comes after the product and makes statuses big again."""

from __future__ import annotations

import base64
import contextlib
import json
import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from aiohttp import web

from tests.controlplane.client import ApiClient
from tests.controlplane.loopback import HOST
from tests.controlplane.objects import GROUP
from tests.controlplane.resources import MUTATING_WEBHOOKS, Resource
from tests.e2e.barrier import obeyed

Json = dict[str, Any]

NAME = "zzz-bloats"  # after the product's own: configurations are called in the order of their names


@contextlib.asynccontextmanager
async def bloats(
    client: ApiClient, resource: Resource, certificates: Path, status: Json, *, called: list[str]
) -> AsyncIterator[None]:
    """Have every write of ``resource/status`` get the members of ``status``; names of objects are noted in ``called``.

    ``certificates`` holds a certificate for this machine, as ``serve --dev`` makes it.
    """

    async def answer(request: web.Request) -> web.Response:
        asked = (await request.json())["request"]
        called.append(asked["name"])
        patch = [{"op": "add", "path": f"/status/{name}", "value": value} for name, value in status.items()]
        response = {
            "uid": asked["uid"],
            "allowed": True,
            "patchType": "JSONPatch",
            "patch": base64.b64encode(json.dumps(patch).encode()).decode(),
        }
        return web.json_response({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response})

    app = web.Application(client_max_size=1 << 23)
    app.router.add_post("/", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificates / "tls.crt", certificates / "tls.key")
    site = web.TCPSite(runner, HOST, 0, ssl_context=context)
    await site.start()
    port = runner.addresses[0][1]
    created = await client.create(MUTATING_WEBHOOKS, _configuration(resource, port, certificates / "ca.crt"))
    assert created.status == 201, created.body
    try:
        await obeyed(client)
        yield
    finally:
        await client.delete(MUTATING_WEBHOOKS, NAME)
        await obeyed(client)
        await runner.cleanup()


def _configuration(resource: Resource, port: int, ca: Path) -> Json:
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": NAME},
        "webhooks": [
            {
                "name": "bloats.example.com",
                "clientConfig": {
                    "url": f"https://{HOST}:{port}/",
                    "caBundle": base64.b64encode(ca.read_bytes()).decode(),
                },
                "rules": [
                    {
                        "apiGroups": [GROUP],
                        "apiVersions": ["v1"],
                        "operations": ["UPDATE"],
                        "resources": [f"{resource.plural}/status"],
                    }
                ],
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": resource.namespace}},
                "failurePolicy": "Fail",
                "sideEffects": "None",
                "admissionReviewVersions": ["v1"],
            }
        ],
    }
