"""What the API server trusts, as far as its webhook configurations say so."""

from __future__ import annotations

from dataclasses import dataclass

from cryptography import x509


@dataclass(frozen=True, slots=True)
class Registered:
    """One webhook configuration: its kind, its resourceVersion, and the caBundle (PEM) of each of its webhooks."""

    kind: str
    version: str
    bundles: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Published:
    """The webhook configurations that there are. ``off``: there is none that mutates, so nobody is called."""

    registered: tuple[Registered, ...]
    off: bool

    def trusts(self, ca: x509.Certificate) -> bool:
        """True when every webhook trusts ``ca``; so do all of none."""
        return all(ca in certificates(bundle) for each in self.registered for bundle in each.bundles)

    def all_trusted(self) -> frozenset[x509.Certificate]:
        """Every CA that some webhook trusts."""
        return frozenset(ca for each in self.registered for bundle in each.bundles for ca in certificates(bundle))

    def others_than(self, bundle: bytes) -> tuple[Registered, ...]:
        """The configurations of which some webhook has another caBundle."""
        return tuple(each for each in self.registered if any(one != bundle for one in each.bundles))


def certificates(bundle: bytes) -> tuple[x509.Certificate, ...]:
    """The certificates in PEM; none where something else is among them."""
    try:
        return tuple(x509.load_pem_x509_certificates(bundle))
    except ValueError:
        return ()
