"""What the webhook configurations trust. The real API server is asked in tests/e2e."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import pytest

from admission.certificates.published import Registered
from admission.cluster.configurations import ClusterConfigurations
from admission.errors import ClusterError
from tests.cluster.objectserver import ObjectServer, objectserver

ROOT = "/apis/admissionregistration.k8s.io/v1"
MUTATING = f"{ROOT}/mutatingwebhookconfigurations/zz-statuscap"
VALIDATING = f"{ROOT}/validatingwebhookconfigurations/zz-statuscap"


@pytest.fixture
def api() -> Iterator[ObjectServer]:
    with objectserver() as running:
        yield running


@pytest.fixture
def configurations(api: ObjectServer) -> ClusterConfigurations:
    return ClusterConfigurations(api.connect, "zz-statuscap")


def configuration(*bundles: bytes | None) -> dict[str, Any]:
    return {"metadata": {"name": "zz-statuscap"}, "webhooks": [webhook(bundle) for bundle in bundles]}


def webhook(bundle: bytes | None) -> dict[str, Any]:
    trusted = {} if bundle is None else {"caBundle": base64.b64encode(bundle).decode()}
    return {"name": "a.b.c", "clientConfig": {"url": "https://a", **trusted}, "rules": [{"resources": ["x/status"]}]}


def test_both_configurations_are_looked_at(api: ObjectServer, configurations: ClusterConfigurations) -> None:
    api.put(MUTATING, configuration(b"A", None))
    api.put(VALIDATING, configuration(b"B"))
    seen = configurations.look()
    assert seen.registered == (
        Registered("MutatingWebhookConfiguration", "1", (b"A", b"")),
        Registered("ValidatingWebhookConfiguration", "2", (b"B",)),
    )
    assert not seen.off


def test_without_the_mutating_one_it_is_off(api: ObjectServer, configurations: ClusterConfigurations) -> None:
    assert (configurations.look().registered, configurations.look().off) == ((), True)
    api.put(VALIDATING, configuration(b"B"))
    assert configurations.look().off


def test_a_configuration_without_webhooks_is_one(api: ObjectServer, configurations: ClusterConfigurations) -> None:
    api.put(MUTATING, {"metadata": {"name": "zz-statuscap"}})
    assert (configurations.look().registered[0].bundles, configurations.look().off) == ((), False)


def test_every_webhook_comes_to_trust_the_bundle_and_nothing_else_changes(
    api: ObjectServer, configurations: ClusterConfigurations
) -> None:
    api.put(MUTATING, configuration(b"A", None))
    (registered,) = configurations.look().registered
    assert configurations.publish(registered, b"NEW")
    stored = api.objects[MUTATING]
    assert stored["webhooks"] == [webhook(b"NEW"), webhook(b"NEW")]
    assert configurations.look().others_than(b"NEW") == ()


def test_a_configuration_that_has_changed_since_is_left_alone(
    api: ObjectServer, configurations: ClusterConfigurations
) -> None:
    api.put(MUTATING, configuration(b"A"))
    (registered,) = configurations.look().registered
    api.put(MUTATING, configuration(b"B"))
    assert not configurations.publish(registered, b"NEW")
    assert configurations.look().registered[0].bundles == (b"B",)
    del api.objects[MUTATING]
    assert not configurations.publish(registered, b"NEW")
    assert MUTATING not in api.objects, "deleting it is the off switch"


@pytest.mark.parametrize("code", [401, 403, 500])
def test_a_refusal_is_told(api: ObjectServer, configurations: ClusterConfigurations, code: int) -> None:
    api.code = code
    with pytest.raises(ClusterError, match=f"code {code}"):
        configurations.look()
    with pytest.raises(ClusterError, match=f"code {code}"):
        configurations.publish(Registered("MutatingWebhookConfiguration", "1", (b"A",)), b"NEW")


def test_the_way_to_them_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", "/nowhere")
    with pytest.raises(ClusterError, match="nothing says where the API server is"):
        ClusterConfigurations.found("zz-statuscap")
