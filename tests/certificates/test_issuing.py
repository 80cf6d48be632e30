"""CAs and leaves, judged by a verifier that knows nothing of ours."""

from __future__ import annotations

from datetime import datetime, timedelta
from ipaddress import ip_address

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.x509.verification import PolicyBuilder, Store, VerificationError

from admission.certificates.issuing import BACKDATED, address_in, new_authority, new_leaf
from admission.certificates.keypair import KeyPair
from tests.certificates.sample import DAY, NOW, authority

NAMES = ("a.b.svc", "10.0.0.7", "fd00::7")


def subject_of(name: str) -> x509.DNSName | x509.IPAddress:
    return x509.DNSName(name) if address_in(name) is None else x509.IPAddress(ip_address(name))


def verified(leaf: KeyPair, ca: KeyPair, name: str, at: datetime) -> bool:
    builder = PolicyBuilder().store(Store([ca.certificate])).time(at.replace(tzinfo=None))
    try:
        builder.build_server_verifier(subject_of(name)).verify(leaf.certificate, [])
    except VerificationError:
        return False
    return True


@pytest.mark.parametrize("name", NAMES)
def test_a_leaf_is_for_names_and_addresses(name: str) -> None:
    assert verified(new_leaf(authority(), NAMES, NOW, DAY), authority(), name, NOW)


@pytest.mark.parametrize(
    ("after", "good"),
    [
        pytest.param(-BACKDATED, True, id="a clock that is an hour behind"),
        pytest.param(-BACKDATED - timedelta(seconds=1), False, id="a clock that is further behind"),
        pytest.param(DAY, True, id="to the end"),
        pytest.param(DAY + timedelta(seconds=1), False, id="not longer"),
    ],
)
def test_a_leaf_is_good_for_its_life(after: timedelta, good: bool) -> None:
    assert verified(new_leaf(authority(), NAMES, NOW, DAY), authority(), "a.b.svc", NOW + after) is good


def test_a_leaf_is_of_its_ca_alone() -> None:
    assert not verified(new_leaf(authority(), NAMES, NOW, DAY), authority(1), "a.b.svc", NOW)


def test_a_leaf_ends_with_its_ca() -> None:
    ca = new_authority(NOW, DAY)
    leaf = new_leaf(ca, NAMES, NOW, 90 * DAY)
    assert leaf.certificate.not_valid_after_utc == ca.certificate.not_valid_after_utc


def test_a_ca_signs_leaves_and_no_other_ca() -> None:
    extensions = authority().certificate.extensions
    constraints = extensions.get_extension_for_class(x509.BasicConstraints)
    usage = extensions.get_extension_for_class(x509.KeyUsage).value
    assert (constraints.critical, constraints.value) == (True, x509.BasicConstraints(ca=True, path_length=0))
    assert (usage.key_cert_sign, usage.digital_signature) == (True, False)


def test_everything_is_signed_by_ecdsa_with_sha_256() -> None:
    leaf = new_leaf(authority(), NAMES, NOW, DAY)
    for certificate in (authority().certificate, leaf.certificate):
        assert isinstance(certificate.signature_hash_algorithm, SHA256)
        assert certificate.signature_algorithm_oid._name == "ecdsa-with-SHA256"


def test_no_two_cas_are_called_the_same() -> None:
    names = {new_authority(NOW, DAY).certificate.subject for _ in range(20)}
    assert len(names) == 20
