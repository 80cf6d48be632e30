"""The keys of one control plane: a CA, kube-apiserver's serving certificate, and the key of its service accounts."""

from __future__ import annotations

from pathlib import Path

import trustme
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.controlplane.loopback import HOST


def write_keys(folder: Path) -> None:
    """Write ``ca.crt``, ``apiserver.crt``, ``apiserver.key``, ``sa.key`` and ``sa.pub`` (PEM) into ``folder``.

    Made here and not by kube-apiserver, whose self-made RSA keys cost it half a second of its start.
    """
    ca = trustme.CA(organization_name="controlplane")
    served = ca.issue_cert("localhost", HOST)
    ca.cert_pem.write_to_path(folder / "ca.crt")
    served.cert_chain_pems[0].write_to_path(folder / "apiserver.crt")
    write_private(folder / "apiserver.key", served.private_key_pem.bytes())
    accounts = ec.generate_private_key(ec.SECP256R1())
    pem, form = serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    write_private(
        folder / "sa.key",
        accounts.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()),
    )
    (folder / "sa.pub").write_bytes(accounts.public_key().public_bytes(pem, form))


def write_private(path: Path, key: bytes) -> None:
    """Write a private key readable by its owner only."""
    path.touch(mode=0o600)
    path.write_bytes(key)
