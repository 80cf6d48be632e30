"""What the server shows to its callers, and what it demands of them: certificates from files.

Time is an argument. A context is made anew for every change: one in use would lose its pair before the new one is
found to be bad, and never forgets a CA.
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from admission import regularfile
from admission.errors import CertificateError, FileError


@dataclass(frozen=True, slots=True)
class Pair:
    """The files of a certificate chain and its key; ``ca`` is what callers have to trust, when it is known."""

    certificate: Path
    key: Path
    ca: Path | None = None


@dataclass(frozen=True, slots=True)
class Secured:
    """A TLS context to serve with, and when the certificate that it shows begins and expires."""

    context: ssl.SSLContext
    begins: datetime
    expires: datetime
    serial: int


def secured(pair: Pair, at: datetime, client_ca: Path | None = None) -> Secured:
    """Serve with a pair: TLS 1.2 or later. With ``client_ca`` callers need a certificate that one of its CAs signed.

    Raises:
        CertificateError: a file is missing, unreadable or no PEM, the pair does not match, or it is not valid now.
    """
    certificate = read_certificate(pair.certificate)
    begins, expires = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    if not begins <= at <= expires:
        raise CertificateError(
            f"{pair.certificate}: valid from {begins} to {expires}, and now it is {at:%Y-%m-%d %H:%M:%S%z}; renew it"
        )
    context = _context(pair)
    if client_ca is not None:
        _demand_certificates(context, client_ca)
    return Secured(context, begins, expires, certificate.serial_number)


def _context(pair: Pair) -> ssl.SSLContext:
    read_pem(pair.key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION  # a client could ask for one handshake after the other
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(pair.certificate, pair.key, password=_no_password)
    except ssl.SSLError as error:
        raise CertificateError(_reason(pair, error)) from error
    except OSError as error:  # it was there a moment ago
        raise CertificateError(f"{pair.certificate}, {pair.key}: cannot be read: {error.strerror}") from error
    return context


def read_pem(path: Path) -> bytes:
    """What is in a file of certificates or keys.

    Raises:
        CertificateError: it is missing, unreadable, too large, or something else than a file.
    """
    try:
        return regularfile.read(path, regularfile.MAX_PEM_BYTES)
    except FileError as error:
        raise CertificateError(f"{path}: {error.reason}") from error


def read_certificate(path: Path) -> x509.Certificate:
    """The first certificate in a file.

    Raises:
        CertificateError: there is none, or the file cannot be read.
    """
    try:
        return x509.load_pem_x509_certificate(read_pem(path))
    except ValueError as error:
        raise CertificateError(f"{path}: no certificate in PEM form") from error


def _demand_certificates(context: ssl.SSLContext, client_ca: Path) -> None:
    """Trust every certificate of a bundle, also one that is no root, and nothing else."""
    try:
        bundle = x509.load_pem_x509_certificates(read_pem(client_ca))
    except ValueError as error:
        raise CertificateError(f"{client_ca}: no certificate in PEM form") from error
    context.load_verify_locations(cadata="".join(each.public_bytes(Encoding.PEM).decode() for each in bundle))
    context.verify_flags |= ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN
    context.verify_mode = ssl.CERT_REQUIRED


def _no_password() -> str:
    raise CertificateError("the private key is encrypted; give one that is not")


def _reason(pair: Pair, error: ssl.SSLError) -> str:
    if error.reason == "KEY_VALUES_MISMATCH":
        return f"{pair.key}: the key belongs to another certificate than {pair.certificate}"
    return f"{pair.key}: no private key in PEM form that fits {pair.certificate} ({error.reason or error})"


def utc_datetime(at: int) -> datetime:
    """Nanoseconds since the epoch as a time."""
    return datetime.fromtimestamp(at / 1e9, UTC)
