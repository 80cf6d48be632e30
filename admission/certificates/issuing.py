"""Makes CAs, and leaves for the names that a server is called by."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final, TypeAlias

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from admission.certificates.keypair import KeyPair, key_pem, new_key

BACKDATED: Final = timedelta(hours=1)
"""Certificates are valid from a little earlier, for a caller whose clock is behind."""

_SHOWN_OF_KEY: Final = 4  # bytes of a CA's key identifier in its name, so that no two CAs are called the same

Address: TypeAlias = IPv4Address | IPv6Address


def new_authority(at: datetime, lifetime: timedelta, name: str = "statuscap CA") -> KeyPair:
    """A CA that signs leaves and nothing else, with a key of its own."""
    key = new_key()
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    subject = _called(f"{name} {identifier.digest[:_SHOWN_OF_KEY].hex()}")
    certificate = (
        _builder(subject, subject, key.public_key(), at, at + lifetime)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(identifier, critical=False)
        .sign(key, SHA256())
    )
    return KeyPair(certificate, key_pem(key))


def new_leaf(authority: KeyPair, names: Sequence[str], at: datetime, lifetime: timedelta) -> KeyPair:
    """A server's certificate for DNS names and IP addresses, with a key of its own; it ends with its CA at the latest.

    Raises:
        ValueError: the key of the CA cannot sign.
    """
    key, ca_key = new_key(), authority.signing_key()
    ends = min(at + lifetime, authority.certificate.not_valid_after_utc)
    certificate = (
        _builder(_called("statuscap"), authority.certificate.subject, key.public_key(), at, ends)
        .add_extension(x509.SubjectAlternativeName(map(general_name, names)), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key()), critical=False)
        .sign(ca_key, SHA256())
    )
    return KeyPair(certificate, key_pem(key))


def general_name(name: str) -> x509.GeneralName:
    """A DNS name or an IP address, as a certificate names it."""
    address = address_in(name)
    return x509.DNSName(name) if address is None else x509.IPAddress(address)


def address_in(text: str) -> Address | None:
    """The IP address that a text is, if it is one."""
    try:
        return ip_address(text)
    except ValueError:
        return None


def _called(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, at: datetime, ends: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(at - BACKDATED)
        .not_valid_after(ends)
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
