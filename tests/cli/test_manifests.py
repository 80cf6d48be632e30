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


@pytest.mark.parametrize(
    ("modes", "flags", "why"),
    [
        pytest.param(["Off", "Off"], [], "every policy is Off", id="all by themselves"),
        pytest.param(["Off"], ["-o", "json"], "every policy is Off", id="as JSON"),
        pytest.param(["DryRun", "Enforce"], ["--mode", "Off"], "--mode Off", id="all by the flag"),
        pytest.param(["Off"], ["--mode", "Off"], "--mode Off", id="by both"),
        pytest.param(["Off"], ["--mode", "Enforce"], "every policy is Off", id="what is Off stays so"),
    ],
)
def test_when_every_policy_is_off_nothing_is_registered_and_that_is_told(
    command: Command, tmp_path: Path, modes: list[str], flags: list[str], why: str
) -> None:
    for number, mode in enumerate(modes):
        policy = bent(bent(POLICY, "spec", "mode", to=mode), "metadata", "name", to=f"widgets-{number}")
        written(tmp_path, f"{number}.yaml", policy)
    result = command("manifests", "-p", tmp_path, *flags)
    printed = yaml.safe_load(result.out)
    (configuration,) = printed.get("items", [printed])
    assert (result.code, configuration["webhooks"]) == (0, [])
    assert result.err == (
        f"statuscap: webhooks is empty ({why}): applied, this registers nothing and takes back what an earlier one "
        "registered: no write is sent to the webhook, and none is trimmed. An earlier ValidatingWebhookConfiguration "
        "zz-statuscap stays until you delete it\n"
    )


def test_one_policy_that_is_not_off_is_registered_without_that_remark(command: Command, tmp_path: Path) -> None:
    written(tmp_path, "off.yaml", bent(POLICY, "spec", "mode", to="Off"))
    written(tmp_path, "on.yaml", bent(POLICY, "metadata", "name", to="widgets-on"))
    assert "webhooks is empty" not in command("manifests", "-p", tmp_path).err


def test_an_empty_name_of_the_ca_is_told(command: Command, policy: Path) -> None:
    result = command("manifests", "-p", policy, "--ca-file", "")
    assert (result.code, result.err) == (2, 'statuscap: "": cannot be read: the name is empty; name a file\n')


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


def test_pre_filters_are_asked_for(command: Command, policy: Path) -> None:
    (webhook,) = yaml.safe_load(command("manifests", "-p", policy, "--pre-filters").out)["webhooks"]
    (condition,) = webhook["matchConditions"]
    assert "size(object.status." in condition["expression"]
    assert "matchConditions" not in yaml.safe_load(command("manifests", "-p", policy).out)["webhooks"][0]


def test_explain_says_which_writes_are_sent_instead_of_manifests(command: Command, policy: Path) -> None:
    result = command("manifests", "-p", policy, "--explain")
    assert result.code == 0
    assert result.out.startswith(
        "widgets.example.com.statuscap.dev: a write of widgets/status of example.com is sent when"
    )
    assert "kind:" not in result.out
