"""A bundle that is made once, and ways to bend it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Final

from cryptography import x509

from admission.certificates.bundle import Bundle
from admission.certificates.issuing import new_authority
from admission.certificates.keypair import KeyPair
from admission.certificates.published import Published, Registered
from admission.certificates.rotation import CA_LIFETIME, first

NOW: Final = datetime(2026, 12, 1, tzinfo=UTC)
DAY: Final = timedelta(days=1)
NAMES: Final = ("statuscap.statuscap.svc",)


@cache
def bundle() -> Bundle:
    return first(NAMES, NOW)


@cache
def authority(number: int = 0) -> KeyPair:
    """Another CA, the same for the same number."""
    return new_authority(NOW, CA_LIFETIME, f"CA {number}")


def publishing(*bundles: bytes, off: bool = False) -> Published:
    """One configuration with these caBundles."""
    return Published((Registered("MutatingWebhookConfiguration", "7", bundles),), off)


def subject(certificate: x509.Certificate) -> str:
    return certificate.subject.rfc4514_string()
