"""``statuscap certs``, asking an API server of as much as it needs."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from admission.certificates.bundle import Bundle
from admission.certificates.secretdata import TRUSTED, of_data
from tests.cli.conftest import Command, Result
from tests.cluster.objectserver import ObjectServer, objectserver
from tests.cluster.test_configurations import MUTATING, configuration

PATH = "/api/v1/namespaces/statuscap/secrets/certs"
SECRET = "statuscap/certs"
CALLED = ("--service", "statuscap")


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ObjectServer]:
    """The API server that the environment leads to, with a configuration that trusts nobody yet."""
    with objectserver() as running:
        running.date = format_datetime(datetime.now(UTC), usegmt=True)
        file = tmp_path / "kubeconfig"
        file.write_text(json.dumps(kubeconfig(running.url)))
        monkeypatch.setenv("KUBECONFIG", str(file))
        running.put(MUTATING, configuration(None, None))
        yield running


def kubeconfig(url: str) -> dict[str, Any]:
    return {
        "clusters": [{"name": "a", "cluster": {"server": url}}],
        "users": [{"name": "a", "user": {"token": "t"}}],
        "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
        "current-context": "a",
    }


def data(api: ObjectServer) -> dict[str, bytes]:
    return {key: base64.b64decode(text) for key, text in api.objects[PATH]["data"].items()}


def bundle(api: ObjectServer) -> Bundle:
    found = of_data(data(api)).bundle
    assert found is not None
    return found


def published(api: ObjectServer) -> set[bytes]:
    return {base64.b64decode(each["clientConfig"]["caBundle"]) for each in api.objects[MUTATING]["webhooks"]}


@pytest.fixture
def made(api: ObjectServer, command: Command) -> Result:
    return command("certs", "make", SECRET, *CALLED)


def test_makes_certificates_and_lets_the_configurations_trust_them(api: ObjectServer, made: Result) -> None:
    assert (made.code, made.err) == (0, "")
    head, leaf, ca = made.out.splitlines()
    assert head.split() == ["PART", "NAME", "EXPIRES", "WHAT", "COMES"]
    assert leaf.startswith("leaf  statuscap.statuscap.svc")
    assert ca.startswith("CA    statuscap CA ")
    assert published(api) == {data(api)[TRUSTED]}


def test_making_them_again_changes_nothing(api: ObjectServer, command: Command, made: Result) -> None:
    before = data(api)
    assert command("certs", "make", SECRET, *CALLED).out == made.out
    assert data(api) == before


@pytest.mark.usefixtures("made")
def test_shows_what_is_there_without_keys(api: ObjectServer, command: Command) -> None:
    shown = command("certs", "show", SECRET)
    assert (shown.code, shown.err) == (0, "")
    told = command("certs", "show", SECRET, "-o", "json")
    assert "PRIVATE" not in told.out
    found = json.loads(told.out)
    assert [each["part"] for each in found["certificates"]] == ["leaf", "CA"]
    assert found["certificates"][0]["serial"] == f"{bundle(api).leaf.certificate.serial_number:x}"
    assert datetime.fromisoformat(found["certificates"][0]["expires"]) > datetime.now(UTC)
    assert found["problems"] == []


@pytest.mark.usefixtures("api")
def test_a_secret_without_certificates_is_a_finding(command: Command) -> None:
    shown = command("certs", "show", SECRET)
    assert (shown.code, shown.out, shown.err) == (1, "", "statuscap: it is empty\n")


@pytest.mark.usefixtures("made")
def test_checks_what_is_there_and_what_is_published(api: ObjectServer, command: Command) -> None:
    assert command("certs", "check", SECRET, *CALLED).code == 0
    assert command("certs", "check", SECRET).code == 0
    api.put(MUTATING, configuration(None))
    found = command("certs", "check", SECRET, "--url", "https://10.0.0.7:8443")
    assert found.code == 1
    assert found.err.splitlines() == [
        "statuscap: the leaf is not for 10.0.0.7",
        "statuscap: 1 of 1 webhooks of the MutatingWebhookConfiguration do not trust the CA of the leaf",
    ]
    other = command("certs", "check", SECRET, "--registration", "other")
    assert "there is no MutatingWebhookConfiguration: statuscap is off" in other.err


@pytest.mark.usefixtures("made")
def test_a_rotation_begins_with_a_successor_that_is_trusted(api: ObjectServer, command: Command) -> None:
    before = bundle(api)
    rotated = command("certs", "rotate", SECRET, *CALLED)
    assert (rotated.code, rotated.err) == (0, "")
    assert "next CA" in rotated.out
    after = bundle(api)
    assert (after.leaf, after.ca) == (before.leaf, before.ca)
    assert after.next is not None
    assert after.known_since is not None
    assert published(api) == {after.trusted_pem}


@pytest.mark.usefixtures("made")
def test_a_leaf_is_renewed_by_hand(api: ObjectServer, command: Command) -> None:
    before = bundle(api)
    assert command("certs", "rotate", SECRET, *CALLED, "--leaf").code == 0
    after = bundle(api)
    assert (after.ca, after.leaf != before.leaf) == (before.ca, True)


@pytest.mark.usefixtures("made")
def test_at_once_nothing_old_is_trusted(api: ObjectServer, command: Command) -> None:
    before = bundle(api)
    assert command("certs", "rotate", SECRET, *CALLED, "--at-once").code == 0
    after = bundle(api)
    assert before.ca not in after.trusted
    assert published(api) == {after.trusted_pem}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["make", SECRET], "give --service, or --url", id="nobody is called"),
        pytest.param(["make", SECRET, *CALLED, "--url", "https://a"], "give --service, or --url", id="two are called"),
        pytest.param(["make", "certs", *CALLED], "'certs' names no object", id="no namespace"),
        pytest.param(["show", ""], "the Secret has no name", id="no name"),
        pytest.param(["make", SECRET, "--url", "ftp://a"], "is no URL of a webhook", id="no URL"),
        pytest.param(["check", SECRET, "--registration", "A B"], "--registration: 'A B'", id="no registration"),
        pytest.param(["rotate", SECRET, *CALLED, "--leaf", "--at-once"], "give one", id="two rotations"),
        pytest.param(["rotate", SECRET, *CALLED], "make them: statuscap certs make", id="nothing to rotate"),
    ],
)
def test_what_cannot_be_done_is_told_in_a_line(
    api: ObjectServer, command: Command, arguments: list[str], message: str
) -> None:
    result = command("certs", *arguments)
    assert result.code == 2
    assert message in result.err
    assert result.err.count("\n") == 1
    assert PATH not in api.objects


def test_a_refusal_is_told_and_what_was_made_stays(api: ObjectServer, command: Command) -> None:
    api.code = 403
    result = command("certs", "make", SECRET, *CALLED)
    assert result.code == 2
    assert "code 403" in result.err
