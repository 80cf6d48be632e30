"""A bundle as a Secret holds it: six keys, of which people can read three with openssl."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

import msgspec
from cryptography import x509
from cryptography.hazmat.primitives.hashes import SHA256

from admission.certificates.bundle import Bundle, Retired
from admission.certificates.keypair import KeyPair, belongs, can_sign
from admission.certificates.published import certificates
from admission.certificates.validity import is_authority, issuer_among

LEAF: Final = "tls.crt"
LEAF_KEY: Final = "tls.key"
TRUSTED: Final = "ca.crt"
CA_KEY: Final = "ca.key"
NEXT_CA_KEY: Final = "next-ca.key"
ROTATION: Final = "rotation.json"

KEYS: Final = frozenset({LEAF, LEAF_KEY, TRUSTED, CA_KEY, NEXT_CA_KEY, ROTATION})
"""The keys of the Secret that are ours; others are left as they are."""

MAX_TRUSTED: Final = 64
"""CAs in a bundle; more than a dozen takes a rotation by hand every week."""


class _Rotation(msgspec.Struct, rename="camel", frozen=True):
    """What certificates cannot tell: since when the next CA is known, and until when retired ones are trusted.

    Retired CAs are named by the SHA-256 of their certificate.
    """

    known_since: datetime | None = None
    trusted_until: dict[str, datetime] = {}


@dataclass(frozen=True, slots=True)
class Kept:
    """A Secret's data; ``version`` is its resourceVersion, None when there is no Secret.

    ``at`` is the time by the clock of the API server, None when it did not tell.
    """

    data: Mapping[str, bytes]
    version: str | None
    at: datetime | None = None

    @property
    def ours(self) -> dict[str, bytes]:
        """What is under keys of :data:`KEYS`."""
        return {key: content for key, content in self.data.items() if key in KEYS}


@dataclass(frozen=True, slots=True)
class Reading:
    """What could be made of a Secret: a bundle, if there is enough of one, and a line for each thing that is wrong."""

    bundle: Bundle | None
    problems: tuple[str, ...] = ()


def to_data(bundle: Bundle) -> dict[str, bytes]:
    """The Secret's data; a key of :data:`KEYS` that is not among them is not to be there."""
    found = {
        LEAF: bundle.leaf.certificate_pem,
        LEAF_KEY: bundle.leaf.key,
        TRUSTED: bundle.trusted_pem,
        ROTATION: msgspec.json.encode(
            _Rotation(bundle.known_since, {fingerprint(each.certificate): each.until for each in bundle.retired})
        ),
    }
    if bundle.ca_key is not None:
        found[CA_KEY] = bundle.ca_key
    if bundle.next is not None:
        found[NEXT_CA_KEY] = bundle.next.key
    return found


def of_data(data: Mapping[str, bytes]) -> Reading:
    """Read a Secret's data, which may be anything."""
    if not data.keys() & KEYS:
        return Reading(None, ("it is empty",))
    reader = _Reader(data)
    bundle = reader.bundle()
    return Reading(bundle, tuple(reader.problems))


def fingerprint(certificate: x509.Certificate) -> str:
    """The SHA-256 of a certificate, in hexadecimal."""
    return certificate.fingerprint(SHA256()).hex()


class _Reader:
    """Reads one Secret, and remembers what is wrong with it."""

    def __init__(self, data: Mapping[str, bytes]) -> None:
        self._data = data
        self.problems: list[str] = []

    def bundle(self) -> Bundle | None:
        trusted, leaf = self._trusted(), self._leaf()
        ca_key, next_key = self._data.get(CA_KEY), self._data.get(NEXT_CA_KEY)
        signer = next((ca for ca in trusted if _signs_as(ca_key, ca)), None)
        issuer = None if leaf is None else issuer_among(leaf.certificate, trusted)
        if leaf is not None and issuer is None:
            self.problems.append(f"{LEAF} is of no CA in {TRUSTED}")
        if signer is None:
            self.problems.append(f"{CA_KEY} belongs to no CA in {TRUSTED}")
        elif issuer is not None and issuer != signer:
            self.problems.append(f"{CA_KEY} belongs to another CA than that of {LEAF}")
            signer = None
        if leaf is None or issuer is None:
            return None if signer is None or ca_key is None else self._without_leaf(signer, ca_key, trusted)
        known = Bundle(leaf, issuer, ca_key if signer is not None else None)
        return self._with_others(replace(known, next=self._next(next_key, trusted, issuer)), trusted)

    def _without_leaf(self, signer: x509.Certificate, ca_key: bytes, trusted: tuple[x509.Certificate, ...]) -> Bundle:
        """The CA is there, so that a leaf of it can be made: its own certificate stands in, and is for no name."""
        known = Bundle(KeyPair(signer, ca_key), signer, ca_key)
        return self._with_others(replace(known, next=self._next(self._data.get(NEXT_CA_KEY), trusted, signer)), trusted)

    def _with_others(self, bundle: Bundle, trusted: tuple[x509.Certificate, ...]) -> Bundle:
        rotation = self._rotation()
        known = set(bundle.trusted)
        others = {fingerprint(ca): ca for ca in trusted if ca not in known}
        for missing in rotation.trusted_until.keys() - others.keys():
            self.problems.append(f"{TRUSTED} lacks the retired CA {missing[:16]}…")
        for unknown in others.keys() - rotation.trusted_until.keys():
            self.problems.append(f"{ROTATION} does not say until when the CA {unknown[:16]}… is trusted")
        retired = tuple(
            Retired(ca, rotation.trusted_until.get(name, ca.not_valid_after_utc)) for name, ca in others.items()
        )
        return replace(bundle, retired=retired, known_since=None if bundle.next is None else rotation.known_since)

    def _trusted(self) -> tuple[x509.Certificate, ...]:
        found = tuple(dict.fromkeys(certificates(self._data.get(TRUSTED, b""))))
        good = tuple(ca for ca in found if is_authority(ca))[:MAX_TRUSTED]
        if not good or len(good) < len(found):
            self.problems.append(f"{TRUSTED} is no list of CAs in PEM form")
        return good

    def _leaf(self) -> KeyPair | None:
        found, key = certificates(self._data.get(LEAF, b"")), self._data.get(LEAF_KEY, b"")
        if not found:
            self.problems.append(f"{LEAF} is no certificate in PEM form")
        elif not belongs(key, found[0]):
            self.problems.append(f"{LEAF_KEY} is no private key of {LEAF}")
        else:
            return KeyPair(found[0], key)
        return None

    def _next(self, key: bytes | None, trusted: tuple[x509.Certificate, ...], ca: x509.Certificate) -> KeyPair | None:
        if key is None:
            return None
        found = next((each for each in trusted if each != ca and _signs_as(key, each)), None)
        if found is None:
            self.problems.append(f"{NEXT_CA_KEY} belongs to no other CA in {TRUSTED}")
            return None
        return KeyPair(found, key)

    def _rotation(self) -> _Rotation:
        try:
            return _aware(msgspec.json.decode(self._data.get(ROTATION, b""), type=_Rotation))
        except (msgspec.DecodeError, UnicodeDecodeError):
            self.problems.append(f"{ROTATION} cannot be read")
            return _Rotation()


def _signs_as(key: bytes | None, ca: x509.Certificate) -> bool:
    return key is not None and belongs(key, ca) and can_sign(key)


def _aware(rotation: _Rotation) -> _Rotation:
    """Times that say no zone are UTC."""
    until = {name: _utc(each) for name, each in rotation.trusted_until.items()}
    return _Rotation(None if rotation.known_since is None else _utc(rotation.known_since), until)


def _utc(time: datetime) -> datetime:
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
