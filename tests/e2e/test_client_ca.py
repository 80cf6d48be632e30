"""Only an API server that shows a certificate is answered."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme

from tests.controlplane.build import ensure_binaries
from tests.controlplane.client import ApiClient
from tests.controlplane.objects import GADGETS
from tests.controlplane.resources import NAMESPACES
from tests.controlplane.servers import ControlPlane
from tests.e2e.conftest import NamespaceMaker, install, on_a_loop_of_its_own
from tests.e2e.objects import KEPT, SENT, made
from tests.e2e.policies import Scope, policy
from tests.e2e.product import Statuscap
from tests.e2e.test_lifecycle import fail_open, length


@pytest.fixture(scope="module")
def ca() -> trustme.CA:
    """Signs the certificates of callers."""
    return trustme.CA()


@pytest.fixture(scope="module")
def client_ca(ca: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The CA as ``--client-ca`` takes it."""
    path = tmp_path_factory.mktemp("client-ca") / "ca.crt"
    ca.cert_pem.write_to_path(path)
    return path


def admission_configuration(folder: Path, ca: trustme.CA) -> Path:
    """Write what makes an API server show a certificate to every webhook; returns the file for its flag."""
    leaf = ca.issue_cert("kube-apiserver")
    leaf.cert_chain_pems[0].write_to_path(folder / "webhooks.crt")
    leaf.private_key_pem.write_to_path(folder / "webhooks.key")
    user = {"client-certificate": str(folder / "webhooks.crt"), "client-key": str(folder / "webhooks.key")}
    kubeconfig = {"apiVersion": "v1", "kind": "Config", "users": [{"name": "*", "user": user}]}
    webhooks = {
        "apiVersion": "apiserver.config.k8s.io/v1",
        "kind": "WebhookAdmissionConfiguration",
        "kubeConfigFile": str(written(folder / "webhooks.kubeconfig", kubeconfig)),
    }
    configuration = {
        "apiVersion": "apiserver.config.k8s.io/v1",
        "kind": "AdmissionConfiguration",
        "plugins": [{"name": "MutatingAdmissionWebhook", "configuration": webhooks}],
    }
    return written(folder / "admission.yaml", configuration)


def written(path: Path, document: dict[str, Any]) -> Path:
    path.write_text(json.dumps(document))
    return path


@pytest.fixture(scope="module")
def showing(ca: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A control plane that shows a certificate to webhooks."""
    file = admission_configuration(tmp_path_factory.mktemp("admission"), ca)
    flags = [f"--admission-control-config-file={file}"]
    with ControlPlane(ensure_binaries(print), apiserver_flags=flags) as running:
        on_a_loop_of_its_own(install(running))
        yield running


def demanding(client_ca: Path) -> Statuscap:
    """A product that demands certificates of callers."""
    policies = [policy("demanding", mode="Enforce", scope=Scope.OTHER)]
    return Statuscap(policies, name="demanding", flags=["--client-ca", str(client_ca)])


async def test_an_api_server_that_shows_a_certificate_is_answered(showing: ControlPlane, client_ca: Path) -> None:
    async with ApiClient.connect(showing) as client, demanding(client_ca).in_charge(client):
        namespace = f"{Scope.OTHER}-shown"
        assert (await client.create(NAMESPACES, {"metadata": {"name": namespace}})).status == 201
        gadgets = GADGETS.inside(namespace)
        await client.create(gadgets, made(GADGETS, "one"))
        assert await length(client, gadgets) == KEPT
        assert await fail_open(client) == 0


async def test_writes_pass_untrimmed_through_one_that_shows_none(
    client: ApiClient, new_namespace: NamespaceMaker, client_ca: Path
) -> None:
    gadgets = GADGETS.inside(await new_namespace(Scope.OTHER))
    async with demanding(client_ca).in_charge(client) as product:
        assert product.ready(), "the probe port demands nothing"
        before = await fail_open(client)
        await client.create(gadgets, made(GADGETS, "one"))
        assert await length(client, gadgets) == SENT
        assert await fail_open(client) > before
        closed = product.metrics("statuscap_connections_closed_total")
        assert sum(sample.value for sample in closed if sample.labels["reason"] == "handshake") > 0
