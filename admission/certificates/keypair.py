"""A certificate and its key."""

from __future__ import annotations

from dataclasses import dataclass, field

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key


@dataclass(frozen=True, slots=True)
class KeyPair:
    """A certificate and its private key, as PEM (PKCS #8). Never shows the key when it is printed."""

    certificate: x509.Certificate
    key: bytes = field(repr=False)

    @property
    def certificate_pem(self) -> bytes:
        """The certificate as PEM."""
        return self.certificate.public_bytes(Encoding.PEM)

    def signing_key(self) -> ec.EllipticCurvePrivateKey:
        """The key, to sign with.

        Raises:
            ValueError: it is none of an elliptic curve.
        """
        key = load_pem_private_key(self.key, password=None)
        if not isinstance(key, ec.EllipticCurvePrivateKey):
            raise ValueError("it is no key of an elliptic curve")
        return key


def new_key() -> ec.EllipticCurvePrivateKey:
    """A new private key (ECDSA P-256)."""
    return ec.generate_private_key(ec.SECP256R1())


def key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    """A private key as PEM (PKCS #8, not encrypted)."""
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def belongs(key: bytes, certificate: x509.Certificate) -> bool:
    """True when ``key`` is a private key in PEM form, without a password, and that of ``certificate``."""
    try:
        return load_pem_private_key(key, password=None).public_key() == certificate.public_key()
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return False


def can_sign(key: bytes) -> bool:
    """True when other certificates can be made with a private key: one of an elliptic curve, without a password."""
    try:
        return isinstance(load_pem_private_key(key, password=None), ec.EllipticCurvePrivateKey)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return False
