"""A self-signed pair for a test on this machine.

Time is an argument everywhere. The private key of the CA is thrown away: a new pair gets a new CA.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from admission.certificates.issuing import address_in, new_authority, new_leaf
from admission.certificates.keypair import belongs
from admission.certificates.validity import issued_by, missing_names
from admission.errors import CertificateError
from admission.serving.tls import Pair, read_certificate, read_pem

DEV_LIFETIME: Final = timedelta(days=365)
LOOK_AHEAD: Final = timedelta(days=1)
"""A development pair that expires within this time is made anew."""

LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "::1")


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
    if pair.ca is None:
        return "there is no CA"
    try:
        ca, leaf = read_certificate(pair.ca), read_certificate(pair.certificate)
        key = read_pem(pair.key)
    except CertificateError as error:
        return str(error)
    if not issued_by(leaf, ca):
        return "the certificate is of another CA"
    if not belongs(key, leaf):
        return "the key belongs to another certificate"
    for certificate in (ca, leaf):
        if not certificate.not_valid_before_utc <= at < certificate.not_valid_after_utc - LOOK_AHEAD:
            return "it expires soon, or is not valid yet"
    missing = missing_names(leaf, names)
    return f"it is not for {', '.join(missing)}" if missing else None


def _names(host: str) -> tuple[str, ...]:
    address = address_in(host)
    if address is None or address.is_unspecified or host in LOOPBACK_NAMES:
        return LOOPBACK_NAMES
    return (*LOOPBACK_NAMES, host)


def _write_pair(pair: Pair, names: Sequence[str], at: datetime) -> None:
    assert pair.ca is not None, "a development pair has its CA"  # noqa: S101
    authority = new_authority(at, DEV_LIFETIME, "statuscap development CA")
    leaf = new_leaf(authority, names, at, DEV_LIFETIME)
    _replace(pair.key, leaf.key, 0o600)
    _replace(pair.certificate, leaf.certificate_pem, 0o644)
    _replace(pair.ca, authority.certificate_pem, 0o644)


def _replace(path: Path, content: bytes, mode: int) -> None:
    """Write a file whole or not at all, never readable by more than ``mode`` allows."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    draft.chmod(mode)  # whatever the umask left of it
    draft.replace(path)
