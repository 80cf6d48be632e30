"""What a certificate is good for at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.x509.oid import ExtendedKeyUsageOID

from admission.certificates.issuing import general_name


def valid(certificate: x509.Certificate, at: datetime) -> bool:
    """True between its begin and its end."""
    return certificate.not_valid_before_utc <= at <= certificate.not_valid_after_utc


def due(certificate: x509.Certificate, at: datetime) -> bool:
    """True in the last third of its life, when it is time to replace it, and out of its life."""
    begins, ends = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    return not begins <= at < ends - (ends - begins) / 3


def issued_by(certificate: x509.Certificate, ca: x509.Certificate) -> bool:
    """True when a CA has signed it."""
    try:
        certificate.verify_directly_issued_by(ca)
    except (ValueError, TypeError, InvalidSignature, UnsupportedAlgorithm):
        return False
    return is_authority(ca)


def issuer_among(certificate: x509.Certificate, cas: Iterable[x509.Certificate]) -> x509.Certificate | None:
    """The CA that has signed it."""
    return next((ca for ca in cas if issued_by(certificate, ca)), None)


def is_authority(certificate: x509.Certificate) -> bool:
    """True for a certificate that may sign others."""
    try:
        return certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    except (x509.ExtensionNotFound, x509.DuplicateExtension, ValueError):
        return False


def serves(certificate: x509.Certificate, names: Sequence[str]) -> bool:
    """True for a server's certificate that names all of ``names``."""
    return not missing_names(certificate, names) and _for_servers(certificate)


def missing_names(certificate: x509.Certificate, names: Sequence[str]) -> tuple[str, ...]:
    """Those of ``names`` that a certificate is not for."""
    found = _general_names(certificate)
    return tuple(name for name in names if general_name(name) not in found)


def names_in(certificate: x509.Certificate) -> tuple[str, ...]:
    """The DNS names and IP addresses that a certificate is for."""
    kinds = (x509.DNSName, x509.IPAddress)
    return tuple(str(name.value) for name in _general_names(certificate) if isinstance(name, kinds))


def _general_names(certificate: x509.Certificate) -> list[x509.GeneralName]:
    try:
        return list(certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value)
    except (x509.ExtensionNotFound, x509.DuplicateExtension, ValueError):
        return []


def _for_servers(certificate: x509.Certificate) -> bool:
    """Go takes a certificate that says nothing of its use for any."""
    try:
        usage = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    except x509.ExtensionNotFound:
        return True
    except (x509.DuplicateExtension, ValueError):
        return False
    return ExtendedKeyUsageOID.SERVER_AUTH in usage or ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE in usage
