"""What a certificate is good for."""

from __future__ import annotations

from datetime import timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from admission.certificates.issuing import BACKDATED, new_leaf
from admission.certificates.keypair import new_key
from admission.certificates.validity import (
    due,
    is_authority,
    issued_by,
    issuer_among,
    missing_names,
    names_in,
    serves,
    valid,
)
from tests.certificates.sample import DAY, NOW, authority, bundle

NAMES = ("a.b.svc", "10.0.0.7")
SECOND = timedelta(seconds=1)
LIFE = 90 * DAY
LEAF = new_leaf(authority(), NAMES, NOW, LIFE).certificate


def bare(*extensions: x509.ExtensionType) -> x509.Certificate:
    """A certificate with nothing but these extensions."""
    key, name = new_key(), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "bare")])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(7).not_valid_before(NOW).not_valid_after(NOW + DAY)
    for extension in extensions:
        builder = builder.add_extension(extension, critical=False)
    return builder.sign(key, SHA256())


@pytest.mark.parametrize(
    ("after", "is_valid", "is_due"),
    [
        pytest.param(-BACKDATED - SECOND, False, True, id="before its begin"),
        pytest.param(timedelta(), True, False, id="fresh"),
        pytest.param(60 * DAY - BACKDATED, True, False, id="nearly two thirds"),
        pytest.param(60 * DAY, True, True, id="two thirds"),
        pytest.param(LIFE, True, True, id="at its end"),
        pytest.param(LIFE + SECOND, False, True, id="after its end"),
    ],
)
def test_a_certificate_is_due_in_its_last_third(after: timedelta, is_valid: bool, is_due: bool) -> None:
    assert (valid(LEAF, NOW + after), due(LEAF, NOW + after)) == (is_valid, is_due)


def test_an_issuer_is_a_ca_that_has_signed() -> None:
    assert issued_by(LEAF, authority().certificate)
    assert not issued_by(LEAF, authority(1).certificate)
    assert issuer_among(LEAF, [authority(1).certificate, authority().certificate]) == authority().certificate
    assert issuer_among(LEAF, [authority(1).certificate]) is None
    lonely = bare()
    assert not issued_by(lonely, lonely), "it has signed itself, and is no CA"


def test_a_ca_says_that_it_is_one() -> None:
    assert is_authority(authority().certificate)
    assert not is_authority(LEAF)
    assert not is_authority(bare())


def test_a_leaf_serves_names_that_are_in_it() -> None:
    assert names_in(LEAF) == NAMES
    assert serves(LEAF, NAMES)
    assert serves(LEAF, NAMES[:1])
    assert not serves(LEAF, ("b.b.svc",))
    assert missing_names(LEAF, ("a.b.svc", "b.b.svc", "10.0.0.8")) == ("b.b.svc", "10.0.0.8")
    assert names_in(bundle().ca) == ()


@pytest.mark.parametrize(
    ("usage", "is_for_servers"),
    [
        pytest.param([], True, id="says nothing"),
        pytest.param([x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH])], False, id="for clients"),
        pytest.param([x509.ExtendedKeyUsage([ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE])], True, id="for anything"),
    ],
)
def test_a_leaf_that_says_what_it_is_for_has_to_be_for_servers(
    usage: list[x509.ExtensionType], is_for_servers: bool
) -> None:
    certificate = bare(x509.SubjectAlternativeName([x509.DNSName("a.b.svc")]), *usage)
    assert serves(certificate, ("a.b.svc",)) is is_for_servers
