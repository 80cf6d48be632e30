"""A self-signed pair for a test on this machine.

Time is an argument everywhere. The private key of the CA is thrown away: a new pair gets a new CA.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime, timedelta
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import Final, TypeAlias

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from admission.errors import CertificateError
from admission.serving.tls import Pair, read_certificate, read_pem

DEV_LIFETIME: Final = timedelta(days=365)
LOOK_AHEAD: Final = timedelta(days=1)
"""A development pair that expires within this time is made anew."""

CLOCK_SKEW: Final = timedelta(minutes=5)
"""Certificates are valid from a little earlier, for a caller whose clock is behind."""

LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "::1")

Address: TypeAlias = IPv4Address | IPv6Address


def development_pair(directory: Path, host: str, at: datetime) -> Pair:
    """The pair in ``directory`` (``ca.crt``, ``tls.crt``, ``tls.key``), made anew unless it is valid.

    It is good for loopback, and for ``host`` when that is an address.

    Raises:
        CertificateError: the files cannot be written.
    """
    pair = Pair(directory / "tls.crt", directory / "tls.key", directory / "ca.crt")
    names = _names(host)
    if why_unusable(pair, names, at) is not None:
        try:
            directory.mkdir(parents=True, exist_ok=True)
            _write_pair(pair, names, at)
        except OSError as error:
            raise CertificateError(f"{directory}: the certificate cannot be written: {error.strerror}") from error
    return pair


def why_unusable(pair: Pair, names: Sequence[str], at: datetime) -> str | None:
    """Why a development pair has to be made anew; None when it is good for ``names`` for another day."""
    try:
        if pair.ca is None:
            return "there is no CA"
        ca, leaf = read_certificate(pair.ca), read_certificate(pair.certificate)
        key = load_pem_private_key(read_pem(pair.key), password=None)
        leaf.verify_directly_issued_by(ca)
        if key.public_key() != leaf.public_key():
            return "the key belongs to another certificate"
        for certificate in (ca, leaf):
            if not certificate.not_valid_before_utc <= at < certificate.not_valid_after_utc - LOOK_AHEAD:
                return "it expires soon, or is not valid yet"
        missing = set(map(_general_name, names)) - set(_subject_names(leaf))
    except (CertificateError, ValueError, TypeError, InvalidSignature) as error:
        return str(error) or type(error).__name__
    return f"it is not for {', '.join(str(name.value) for name in missing)}" if missing else None


def _subject_names(certificate: x509.Certificate) -> list[x509.GeneralName]:
    try:
        return list(certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value)
    except x509.ExtensionNotFound:
        return []


# --- making ----------------------------------------------------------------------------------------------------------


def _names(host: str) -> tuple[str, ...]:
    address = _address(host)
    if address is None or address.is_unspecified or host in LOOPBACK_NAMES:
        return LOOPBACK_NAMES
    return (*LOOPBACK_NAMES, host)


def _address(text: str) -> Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None


def _general_name(name: str) -> x509.GeneralName:
    address = _address(name)
    return x509.DNSName(name) if address is None else x509.IPAddress(address)


def _write_pair(pair: Pair, names: Sequence[str], at: datetime) -> None:
    assert pair.ca is not None, "a development pair has its CA"  # noqa: S101
    ca_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    ca = _certificate_authority(ca_key, at)
    leaf = _leaf(key, names, ca, ca_key, at)
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    _replace(pair.key, secret, 0o600)
    _replace(pair.certificate, leaf.public_bytes(Encoding.PEM), 0o644)
    _replace(pair.ca, ca.public_bytes(Encoding.PEM), 0o644)


def _certificate_authority(key: ec.EllipticCurvePrivateKey, at: datetime) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "statuscap development CA")])
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    return (
        _builder(name, name, key.public_key(), at)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(identifier, critical=False)
        .sign(key, SHA256())
    )


def _leaf(
    key: ec.EllipticCurvePrivateKey,
    names: Sequence[str],
    ca: x509.Certificate,
    ca_key: ec.EllipticCurvePrivateKey,
    at: datetime,
) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "statuscap")])
    return (
        _builder(name, ca.subject, key.public_key(), at)
        .add_extension(x509.SubjectAlternativeName(map(_general_name, names)), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key()), critical=False)
        .sign(ca_key, SHA256())
    )


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, at: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(at - CLOCK_SKEW)
        .not_valid_after(at + DEV_LIFETIME)
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _replace(path: Path, content: bytes, mode: int) -> None:
    """Write a file whole or not at all, never readable by more than ``mode`` allows."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    draft.chmod(mode)  # whatever the umask left of it
    draft.replace(path)
