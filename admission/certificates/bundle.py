"""The leaf that is served, the CA behind it, and every CA to trust."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from admission.certificates.keypair import KeyPair


@dataclass(frozen=True, slots=True)
class Retired:
    """A CA that signs no more, and is trusted until the last leaf of it has expired."""

    certificate: x509.Certificate
    until: datetime


@dataclass(frozen=True, slots=True)
class Bundle:
    """What the replicas agree on.

    ``ca`` has signed ``leaf``; ``ca_key`` (PEM) is None when it is lost, and then no other leaf can come of it.
    ``next`` is the CA that will sign after it, and ``known_since`` when the API server was first seen to trust that.
    """

    leaf: KeyPair
    ca: x509.Certificate
    ca_key: bytes | None = field(default=None, repr=False)
    next: KeyPair | None = None
    known_since: datetime | None = None
    retired: tuple[Retired, ...] = ()

    @property
    def authority(self) -> KeyPair | None:
        """The CA with its key, when that is not lost."""
        return None if self.ca_key is None else KeyPair(self.ca, self.ca_key)

    @property
    def trusted(self) -> tuple[x509.Certificate, ...]:
        """Every CA that the API server has to trust, the oldest first: the order does not change with their parts."""
        following = () if self.next is None else (self.next.certificate,)
        cas = {self.ca, *following, *(each.certificate for each in self.retired)}
        return tuple(sorted(cas, key=lambda ca: (ca.not_valid_before_utc, ca.public_bytes(Encoding.DER))))

    @property
    def trusted_pem(self) -> bytes:
        """Every CA to trust, as PEM: the caBundle."""
        return pem(self.trusted)


def pem(certificates: Iterable[x509.Certificate]) -> bytes:
    """Certificates as PEM, one after the other."""
    return b"".join(each.public_bytes(Encoding.PEM) for each in certificates)
