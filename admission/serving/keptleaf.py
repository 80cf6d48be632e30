"""The leaf that a keeper has said to show, beside the file of CAs whose certificates callers need."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from admission.certificates.keypair import KeyPair
from admission.errors import CertificateError
from admission.serving.fingerprint import Fingerprint
from admission.serving.memoryfile import memory_file
from admission.serving.tls import Pair, Secured, secured


class KeptLeaf:
    """Serves with ``leaf``, which may be replaced. ``seen`` is how the file looked before it was read first."""

    def __init__(self, leaf: KeyPair, client_ca: Path | None, at: datetime) -> None:
        """``at`` is when the leaf was found to be valid."""
        self._leaf = leaf
        self._at = at
        self._client_ca = client_ca
        self.seen = Fingerprint.of(self.files())

    def files(self) -> list[Path]:
        """The files whose change is a change of what is demanded."""
        return [] if self._client_ca is None else [self._client_ca]

    def replaced(self, leaf: KeyPair, at: datetime) -> Secured:
        """What to serve with from now on.

        Raises:
            CertificateError: it cannot be served with, or something is wrong with the file; the old one stays.
        """
        made = self._secured(leaf, at)
        self._leaf, self._at = leaf, at
        return made

    def load(self) -> Secured:
        """What to serve with.

        Raises:
            CertificateError: something is wrong with the file.
        """
        return self._secured(self._leaf, self._at)

    def _secured(self, leaf: KeyPair, at: datetime) -> Secured:
        try:
            with memory_file(leaf.certificate_pem) as certificate, memory_file(leaf.key) as key:
                return secured(Pair(certificate, key), at, self._client_ca)
        except OSError as error:
            raise CertificateError(f"the certificate cannot be handed to TLS: {error.strerror}") from error
