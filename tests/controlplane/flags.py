"""The command lines of the two servers."""

from __future__ import annotations

from pathlib import Path

from tests.controlplane.loopback import HOST


def etcd_flags(folder: Path, name: str, port: int, peer_port: int) -> list[str]:
    """Return etcd's flags; its data are thrown away, so it need not sync them. Nobody ever comes to the peer port."""
    client, peer = f"http://{HOST}:{port}", f"http://{HOST}:{peer_port}"
    return [
        f"--name={name}",
        f"--data-dir={folder / 'etcd'}",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster={name}={peer}",
        "--unsafe-no-fsync",
        "--log-level=warn",
    ]


def apiserver_flags(folder: Path, port: int, etcd_url: str) -> list[str]:
    """Return kube-apiserver's flags: those of envtest, with a token instead of client certificates.

    No ``kubernetes`` endpoints (there is no service network), which also lets it advertise loopback and start on a
    machine without a network.
    """
    return [
        f"--etcd-servers={etcd_url}",
        f"--secure-port={port}",
        f"--bind-address={HOST}",
        f"--advertise-address={HOST}",
        "--endpoint-reconciler-type=none",
        f"--cert-dir={folder}",
        f"--tls-cert-file={folder / 'apiserver.crt'}",
        f"--tls-private-key-file={folder / 'apiserver.key'}",
        f"--token-auth-file={folder / 'tokens.csv'}",
        f"--service-account-issuer=https://{HOST}:{port}/",
        f"--service-account-key-file={folder / 'sa.pub'}",
        f"--service-account-signing-key-file={folder / 'sa.key'}",
        "--service-cluster-ip-range=10.0.0.0/24",
        "--authorization-mode=RBAC",
        "--allow-privileged=true",
        "--disable-admission-plugins=ServiceAccount",
    ]


def audit_flags(folder: Path, log: Path) -> list[str]:
    """Return the flags that write every audited event to ``log`` before the request is answered."""
    return [
        f"--audit-policy-file={folder / 'audit-policy.yaml'}",
        f"--audit-log-path={log}",
        "--audit-log-mode=blocking",
    ]
