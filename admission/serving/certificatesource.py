"""The certificate that a server was told to show: read at the start, and again when its files change."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from admission.errors import StatuscapError
from admission.handler import Clock
from admission.serving.fingerprint import Fingerprint
from admission.serving.server import Server
from admission.serving.tls import Pair, Secured, secured, utc_datetime


class CertificateSource:
    """The files of a pair, and of the CAs whose certificates callers need, if they need any.

    ``seen`` is how they looked before they were read for the first time.
    """

    def __init__(self, pair: Pair, client_ca: Path | None, clock: Clock) -> None:
        self._pair = pair
        self._client_ca = client_ca
        self._clock = clock
        self.seen = Fingerprint.of(self.files())

    def files(self) -> list[Path]:
        """The files whose change is a change of the certificate."""
        client_ca = [] if self._client_ca is None else [self._client_ca]
        return [self._pair.certificate, self._pair.key, *client_ca]

    def load(self) -> Secured:
        """What to serve with.

        Raises:
            CertificateError: something is wrong with the files.
        """
        return secured(self._pair, utc_datetime(self._clock()), self._client_ca)


class Loading(Protocol):
    """Whoever knows what to serve with."""

    def load(self) -> Secured:
        """What to serve with.

        Raises:
            CertificateError: something is wrong with the files.
        """
        ...


class ReloadedCertificate:
    """Replaces the certificate of a server. Connections that are open keep the one that they were opened with."""

    def __init__(self, source: Loading, server: Server) -> None:
        self._source = source
        self._server = server

    def read(self) -> Secured:
        """What to serve with.

        Raises:
            CertificateError: something is wrong with the files.
        """
        return self._source.load()

    def use(self, content: Secured) -> None:
        """Show it from the next connection on."""
        self._server.secure(content)
        self._server.process.info("certificate reloaded", serial=f"{content.serial:x}", expires=content.expires)

    def refuse(self, error: StatuscapError) -> None:
        """Say what is wrong with the new one, once."""
        self._server.process.warning(
            "certificate not reloaded",
            problem=str(error),
            consequence="the certificate in use stays",
            expires=self._server.secured.expires,
        )
