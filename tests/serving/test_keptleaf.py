"""The leaf that a keeper has said to show."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from admission.certificates.keypair import KeyPair
from admission.certificates.rotation import first, with_leaf
from admission.errors import CertificateError
from admission.serving.keptleaf import KeptLeaf
from tests.serving.handshake import shake_hands

NOW = datetime.now(UTC).replace(microsecond=0)
BUNDLE = first(("localhost",), NOW)


def client() -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=BUNDLE.trusted_pem.decode())
    context.verify_flags |= ssl.VERIFY_X509_STRICT
    return context


def test_a_strict_client_accepts_it() -> None:
    made = KeptLeaf(BUNDLE.leaf, None, NOW).load()
    assert made.expires == BUNDLE.leaf.certificate.not_valid_after_utc
    assert shake_hands(made.context, client(), "localhost") in ("TLSv1.2", "TLSv1.3")


def test_another_one_takes_its_place() -> None:
    kept = KeptLeaf(BUNDLE.leaf, None, NOW)
    renewed = with_leaf(BUNDLE, ("localhost",), NOW)
    assert kept.replaced(renewed.leaf, NOW).serial == renewed.leaf.certificate.serial_number
    assert kept.load().serial == renewed.leaf.certificate.serial_number


def test_what_cannot_be_served_with_changes_nothing() -> None:
    kept = KeptLeaf(BUNDLE.leaf, None, NOW)
    other = first(("localhost",), NOW).leaf
    with pytest.raises(CertificateError):
        kept.replaced(KeyPair(other.certificate, BUNDLE.leaf.key), NOW)
    with pytest.raises(CertificateError):
        kept.replaced(other, NOW + timedelta(days=1000))
    assert kept.load().serial == BUNDLE.leaf.certificate.serial_number


def test_callers_need_a_certificate_when_there_is_a_file_of_their_cas(tmp_path: Path) -> None:
    file = tmp_path / "ca.crt"
    trustme.CA().cert_pem.write_to_path(file)
    kept = KeptLeaf(BUNDLE.leaf, file, NOW)
    assert kept.files() == [file]
    assert kept.load().context.verify_mode is ssl.CERT_REQUIRED
    file.write_text("?")
    with pytest.raises(CertificateError, match=r"ca\.crt"):
        kept.load()
    assert KeptLeaf(BUNDLE.leaf, None, NOW).files() == []
