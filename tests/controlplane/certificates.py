"""The keys of one control plane: a CA, kube-apiserver's serving certificate, and the key of its service accounts."""

from __future__ import annotations

import ipaddress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

LIFETIME = timedelta(days=1)  # longer than any test run or demo
CLOCK_SKEW = timedelta(hours=1)  # a virtual machine's clock may jump back while the servers run


def write_keys(folder: Path, now: datetime | None = None) -> None:
    """Write ``ca.crt``, ``apiserver.crt``, ``apiserver.key``, ``sa.key`` and ``sa.pub`` (PEM) into ``folder``.

    Made here and not by kube-apiserver, whose self-made RSA keys cost it half a second of its start.
    """
    at = now or datetime.now(UTC)
    ca_key, server_key, account_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(3))
    ca = authority(ca_key, at)
    (folder / "ca.crt").write_bytes(ca.public_bytes(serialization.Encoding.PEM))
    leaf = serving_certificate(server_key, ca, ca_key, at)
    (folder / "apiserver.crt").write_bytes(leaf.public_bytes(serialization.Encoding.PEM))
    write_private(folder / "apiserver.key", server_key)
    write_private(folder / "sa.key", account_key)
    (folder / "sa.pub").write_bytes(
        account_key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
    )


def authority(key: ec.EllipticCurvePrivateKey, at: datetime) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "controlplane-ca")])
    usage = x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=True,
        crl_sign=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
    return (
        unsigned(name, name, key, at)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .sign(key, hashes.SHA256())
    )


def serving_certificate(
    key: ec.EllipticCurvePrivateKey, ca: x509.Certificate, ca_key: ec.EllipticCurvePrivateKey, at: datetime
) -> x509.Certificate:
    names = x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(ipaddress.IPv4Address("127.0.0.1"))])
    return (
        unsigned(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "kube-apiserver")]), ca.subject, key, at)
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key()), critical=False)
        .sign(ca_key, hashes.SHA256())
    )


def unsigned(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, at: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(at - CLOCK_SKEW)
        .not_valid_after(at + LIFETIME)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def write_private(path: Path, key: ec.EllipticCurvePrivateKey) -> None:
    """Write a private key readable by its owner only."""
    path.touch(mode=0o600)
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
