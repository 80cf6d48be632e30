"""``statuscap manifests``: what kubectl applies."""

import base64
import json
from pathlib import Path

import pytest
import trustme
import yaml

from tests.cli.conftest import Command
from tests.offline.samples import POLICY, bent, written


def test_prints_the_webhook_configuration(command: Command, policy: Path) -> None:
    result = command("manifests", "-p", policy)
    (printed,) = yaml.safe_load_all(result.out)
    assert result.code == 0
    assert (printed["kind"], printed["metadata"]["name"]) == ("MutatingWebhookConfiguration", "zz-statuscap")
    assert [webhook["name"] for webhook in printed["webhooks"]] == ["widgets.example.com.statuscap.dev"]
    assert command("manifests", "-p", policy, "--only", "webhook").out == result.out


def test_the_validating_phase_is_registered_when_an_enforced_policy_rejects(command: Command, tmp_path: Path) -> None:
    limits = [{"maxBytes": "1Mi", "of": "Object", "action": "Reject"}]
    rejecting = written(tmp_path, "rejecting.yaml", bent(POLICY, "spec", "limits", to=limits))
    for mode in ("Warn", "DryRun", "Off"):
        (only,) = yaml.safe_load_all(command("manifests", "-p", rejecting, "--mode", mode).out)
        assert (only["kind"], only["webhooks"] == []) == ("MutatingWebhookConfiguration", mode == "Off")
    enforced = list(yaml.safe_load_all(command("manifests", "-p", rejecting).out))
    assert [each["kind"] for each in enforced] == ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"]
    assert enforced[1]["webhooks"][0]["clientConfig"]["service"]["path"] == "/validate"
    listed = json.loads(command("manifests", "-p", rejecting, "-o", "json", "--mode", "Enforce").out)["items"]
    assert listed == enforced


def test_a_webhook_outside_the_cluster(command: Command, policy: Path, tmp_path: Path) -> None:
    ca = tmp_path / "ca.crt"
    ca.write_bytes(trustme.CA().cert_pem.bytes())
    result = command("manifests", "-p", policy, "--url", "https://127.0.0.1:8443", "--ca-file", ca)
    assert result.err == ""
    client = yaml.safe_load(result.out)["webhooks"][0]["clientConfig"]
    assert client["url"] == "https://127.0.0.1:8443/mutate"
    assert base64.b64decode(client["caBundle"]) == ca.read_bytes()


def test_a_service_of_another_name(command: Command, policy: Path) -> None:
    (webhook,) = yaml.safe_load(command("manifests", "-p", policy, "--namespace", "ops", "--service", "cap").out)[
        "webhooks"
    ]
    assert webhook["clientConfig"]["service"] == {"namespace": "ops", "name": "cap", "path": "/mutate", "port": 443}
    assert "ops" in webhook["namespaceSelector"]["matchExpressions"][0]["values"]


def test_a_list_as_json(command: Command, policy: Path) -> None:
    printed = json.loads(command("manifests", "-p", policy, "-o", "json").out)
    assert [item["kind"] for item in printed["items"]] == ["MutatingWebhookConfiguration"]


def test_when_every_policy_is_off_nothing_is_registered(command: Command, tmp_path: Path) -> None:
    off = written(tmp_path, "off.yaml", bent(POLICY, "spec", "mode", to="Off"))
    result = command("manifests", "-p", off)
    assert (result.code, yaml.safe_load(result.out)["webhooks"], result.err) == (0, [], "")


@pytest.mark.parametrize(
    ("flags", "what_to_do"),
    [
        (["--url", "https://127.0.0.1:8443"], "give --ca-file (of serve --dev: certs/ca.crt)"),
        ([], "give --ca-file, or set caBundle later, e.g. with cert-manager"),
        (["--service", "cap", "-o", "json"], "set caBundle later"),
    ],
)
def test_a_webhook_that_nobody_would_trust_is_told(
    command: Command, policy: Path, flags: list[str], what_to_do: str
) -> None:
    result = command("manifests", "-p", policy, *flags)
    assert result.code == 0
    assert "caBundle" not in result.out
    assert result.err.startswith("statuscap: no caBundle: ")
    assert what_to_do in result.err
    assert result.err.count("\n") == 1


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--url", "http://x"], "write https://HOST:PORT"),
        (["--url", "https://x", "--service", "y"], "--url or by --service; give one of them"),
        (["--namespace", "Team A"], "'Team A' is no name of a namespace or a Service; write"),
        (["--service", "stat_cap"], "'stat_cap' is no name of a namespace or a Service; write"),
        (["--ca-file", "none.crt"], "none.crt: cannot be read"),
        (["--only", "everything"], "Invalid value for '--only'"),
    ],
)
def test_a_mistake_is_told(command: Command, policy: Path, flags: list[str], message: str) -> None:
    result = command("manifests", "-p", policy, *flags)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
