"""A certificate and its key."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, NoEncryption, PrivateFormat

from admission.certificates.keypair import KeyPair, belongs, can_sign, key_pem, new_key
from tests.certificates.sample import authority, bundle

PKCS8 = (Encoding.PEM, PrivateFormat.PKCS8)


def test_a_key_is_never_shown() -> None:
    assert "PRIVATE" not in repr(bundle())
    assert "PRIVATE" not in repr(authority())


def test_a_new_key_is_on_the_curve_that_every_client_knows() -> None:
    assert new_key().curve.name == "secp256r1"


@pytest.mark.parametrize(
    "key",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"\xff\x00", id="noise"),
        pytest.param(key_pem(new_key()), id="another key"),
        pytest.param(new_key().private_bytes(*PKCS8, BestAvailableEncryption(b"secret")), id="an encrypted key"),
        pytest.param(ed25519.Ed25519PrivateKey.generate().private_bytes(*PKCS8, NoEncryption()), id="another kind"),
    ],
)
def test_only_the_key_of_a_certificate_belongs_to_it(key: bytes) -> None:
    assert belongs(authority().key, authority().certificate)
    assert not belongs(key, authority().certificate)


@pytest.mark.parametrize(
    ("key", "signs"),
    [
        pytest.param(key_pem(new_key()), True, id="ours"),
        pytest.param(rsa.generate_private_key(65537, 2048).private_bytes(*PKCS8, NoEncryption()), False, id="RSA"),
        pytest.param(b"?", False, id="none"),
    ],
)
def test_keys_of_elliptic_curves_sign(key: bytes, signs: bool) -> None:
    assert can_sign(key) is signs
    pair = KeyPair(authority().certificate, key)
    if signs:
        pair.signing_key()
    else:
        with pytest.raises(ValueError, match=r"elliptic|PEM|load"):
            pair.signing_key()
