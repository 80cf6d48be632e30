"""The way to an API server, and what goes wrong on it."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest
import trustme
from lightkube.config.kubeconfig import SingleConfig
from lightkube.config.models import Cluster, Context, User

from admission.cluster.client import CustomResourceDefinition, connected, found_config
from admission.errors import ClusterError
from tests.cluster.apiserver import TOKEN, apiserver
from tests.controlplane.kubeconfig import kubeconfig
from tests.controlplane.loopback import free_port
from tests.crd.sample import crd


@pytest.fixture(autouse=True)
def outside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A home without a kubeconfig."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("KUBECONFIG", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"):
        monkeypatch.delenv(name, raising=False)


def config(server: str, **user: Any) -> SingleConfig:
    return SingleConfig("test", Context(cluster="test"), Cluster(server=server), User(**(user or {"token": "t"})))


def told(config: SingleConfig, *, watching: bool = False) -> str:
    with pytest.raises(ClusterError) as raised, connected(config, watching=watching) as client:
        list(client.list(CustomResourceDefinition))
    return str(raised.value)


def test_the_way_is_in_the_file_that_the_environment_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "config"
    file.write_text(json.dumps(kubeconfig("https://10.0.0.1:6443", b"CA", "secret")))
    monkeypatch.setenv("KUBECONFIG", str(file))
    found = found_config()
    assert found.user is not None
    assert (found.cluster.server, found.user.token) == ("https://10.0.0.1:6443", "secret")


@pytest.mark.parametrize(
    ("host", "server"), [("10.0.0.1", "https://10.0.0.1:443"), ("fd00::1", "https://[fd00::1]:443")]
)
def test_the_service_account_of_a_pod_goes_before_a_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, host: str, server: str
) -> None:
    file = tmp_path / "config"
    file.write_text(json.dumps(kubeconfig("https://10.9.9.9:6443", b"CA", "secret")))
    monkeypatch.setenv("KUBECONFIG", str(file))
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", host)
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")
    assert found_config(mounted(tmp_path)).cluster.server == server


def test_a_token_that_the_kubelet_renewed_is_read_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    account = mounted(tmp_path, token="stale")
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")
    with apiserver(crd()) as api:
        found = found_config(account)._replace(cluster=Cluster(server=api.url))
        with connected(found) as client:
            (account / "token").write_text(TOKEN)
            assert len(list(client.list(CustomResourceDefinition))) == 1
            api.token = "renewed"
            (account / "token").write_text("renewed")
            assert len(list(client.list(CustomResourceDefinition))) == 1


def mounted(folder: Path, token: str = TOKEN) -> Path:
    """A service account as the kubelet mounts it."""
    account = folder / "serviceaccount"
    account.mkdir()
    for name, text in {"token": token, "namespace": "statuscap", "ca.crt": ""}.items():
        (account / name).write_text(text)
    return account


def bent(**changes: Any) -> dict[str, Any]:
    return {**kubeconfig("https://10.0.0.1:6443", b"CA", "secret"), **changes}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        pytest.param(None, "Configuration file ", id="no file"),
        pytest.param("{", "while parsing a flow node", id="no YAML"),
        pytest.param("[]", "'list' object has no attribute 'get'", id="a list"),
        pytest.param("{}", "'clusters' is missing", id="empty"),
        pytest.param(json.dumps(bent(**{"current-context": "x"})), "Context 'x' not found", id="an unknown context"),
        pytest.param(json.dumps(bent(users=[])), "'controlplane' is missing", id="an unknown user"),
        pytest.param(
            json.dumps(bent(contexts=[{"name": "controlplane", "context": {"cluster": "controlplane"}}])),
            "it names no user",
            id="no user",
        ),
    ],
)
def test_a_way_that_leads_nowhere_is_told_in_a_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: str | None, why: str
) -> None:
    file = tmp_path / "config"
    if content is not None:
        file.write_text(content)
    monkeypatch.setenv("KUBECONFIG", str(file))
    with pytest.raises(ClusterError) as raised:
        found_config()
    message = str(raised.value)
    assert message.startswith(f"nothing says where the API server is ({why}")
    assert message.endswith("; run in a pod with a service account, or name a file with KUBECONFIG")
    assert "\n" not in message


@pytest.mark.parametrize("watching", [False, True])
def test_objects_come_with_what_is_needed_of_them(*, watching: bool) -> None:
    with apiserver(crd()) as api, connected(api.config, watching=watching) as client:
        (found,) = client.list(CustomResourceDefinition)
        assert found.metadata.name == "widgets.example.com"
        assert json.loads(bytes(found.spec)) == crd()["spec"]


@pytest.mark.parametrize("watching", [False, True])
def test_an_api_server_that_is_away_is_told(*, watching: bool) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    assert told(config(url), watching=watching) == f"{url}: [Errno 111] Connection refused"


def test_a_refusal_is_told_in_the_words_of_the_api_server() -> None:
    with apiserver() as api:
        api.refused.add("list")
        assert told(api.config) == (
            f'{api.url}: customresourcedefinitions.apiextensions.k8s.io is forbidden: User "tester" cannot list them'
        )
        assert told(config(api.url, token=f"not {TOKEN}")) == f"{api.url}: Unauthorized"


def test_a_server_of_another_ca_is_not_trusted(tmp_path: Path) -> None:
    ca = tmp_path / "ca.crt"
    trustme.CA().cert_pem.write_to_path(ca)
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"https://127.0.0.1:{server.getsockname()[1]}"
        missing = config(url)._replace(cluster=Cluster(server=url, certificate_auth=str(tmp_path / "none.crt")))
        assert told(missing) == f"{url}: [Errno 2] No such file or directory"
        assert told(missing, watching=True) == f"{url}: [Errno 2] No such file or directory"


@pytest.mark.parametrize("server", ["ftp://127.0.0.1", "http://127.0.0.1:port", "nowhere"])
def test_an_address_that_is_none_is_told(server: str) -> None:
    assert told(config(server)).startswith(f"{server}: ")
