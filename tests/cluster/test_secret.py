"""One Secret, written by compare-and-swap. The real API server is asked in tests/e2e."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from admission.certificates.secretdata import CA_KEY, LEAF, NEXT_CA_KEY, Kept
from admission.cluster.secret import ClusterSecret
from admission.errors import ClusterError
from tests.cluster.objectserver import ObjectServer, objectserver

PATH = "/api/v1/namespaces/statuscap/secrets/certs"
NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)


@pytest.fixture
def api() -> Iterator[ObjectServer]:
    with objectserver() as running:
        yield running


@pytest.fixture
def secret(api: ObjectServer) -> ClusterSecret:
    return ClusterSecret(api.connect, "statuscap", "certs")


def encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


def test_what_is_there_is_read_with_the_time_of_the_api_server(api: ObjectServer, secret: ClusterSecret) -> None:
    api.put(PATH, {"metadata": {"name": "certs"}, "data": {LEAF: encoded(b"\xff\x00")}})
    assert secret.read() == Kept({LEAF: b"\xff\x00"}, "1", NOON)
    api.put(PATH, {"metadata": {"name": "certs"}})
    assert secret.read() == Kept({}, "2", NOON)


def test_a_secret_that_is_not_there_has_no_version(secret: ClusterSecret) -> None:
    assert secret.read() == Kept({}, None, NOON)


@pytest.mark.parametrize("date", ["", "yesterday"])
def test_an_api_server_that_tells_no_time_is_no_trouble(api: ObjectServer, secret: ClusterSecret, date: str) -> None:
    api.date = date
    assert secret.read().at is None


def test_it_is_created_when_it_is_not_there(api: ObjectServer, secret: ClusterSecret) -> None:
    assert secret.write({LEAF: b"leaf"}, None)
    stored = api.objects[PATH]
    assert (stored["apiVersion"], stored["kind"]) == ("v1", "Secret")
    assert stored["data"] == {LEAF: encoded(b"leaf")}
    assert stored["metadata"]["labels"] == {"app.kubernetes.io/name": "statuscap"}
    assert not secret.write({LEAF: b"other"}, None), "somebody else was faster"
    assert secret.read().data == {LEAF: b"leaf"}


def test_only_what_is_ours_is_replaced(api: ObjectServer, secret: ClusterSecret) -> None:
    theirs = {"theirs": encoded(b"kept"), NEXT_CA_KEY: encoded(b"old")}
    api.put(PATH, {"metadata": {"name": "certs", "annotations": {"a": "b"}}, "data": theirs})
    assert secret.write({LEAF: b"leaf", CA_KEY: b"key"}, "1")
    assert secret.read() == Kept({"theirs": b"kept", LEAF: b"leaf", CA_KEY: b"key"}, "2", NOON)
    assert api.objects[PATH]["metadata"]["annotations"] == {"a": "b"}


def test_a_version_that_has_passed_is_not_written_over(api: ObjectServer, secret: ClusterSecret) -> None:
    api.put(PATH, {"metadata": {"name": "certs"}})
    api.put(PATH, {"metadata": {"name": "certs"}})
    assert not secret.write({LEAF: b"leaf"}, "1")
    assert secret.read().data == {}


@pytest.mark.parametrize("code", [401, 403, 500])
def test_a_refusal_is_told(api: ObjectServer, secret: ClusterSecret, code: int) -> None:
    api.code = code
    with pytest.raises(ClusterError, match=f"code {code}"):
        secret.read()
    with pytest.raises(ClusterError, match=f"code {code}"):
        secret.write({LEAF: b"leaf"}, None)
    with pytest.raises(ClusterError, match=f"code {code}"):
        secret.write({LEAF: b"leaf"}, "1")


def test_the_way_to_it_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", "/nowhere")
    with pytest.raises(ClusterError, match="nothing says where the API server is"):
        ClusterSecret.found("statuscap", "certs")
