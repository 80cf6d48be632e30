"""Keeps the certificates in a Secret that any number of replicas share: whoever sees first what is to do does it.

Nobody leads. The Secret is written by compare-and-swap on its resourceVersion, and so is what the API server trusts.
The configurations are looked at *before* the Secret is read: then a replica that was asleep in between, and has an old
Secret in hand, has an old version of the configurations, too, and cannot overwrite what another one has published.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol

from admission.certificates.adoption import leaf_to_show
from admission.certificates.bundle import Bundle
from admission.certificates.keypair import KeyPair
from admission.certificates.mending import mended
from admission.certificates.published import Published, Registered
from admission.certificates.rotation import SKEW, advanced, fit
from admission.certificates.secretdata import Kept, Reading, of_data, to_data
from admission.certificates.validity import issuer_among
from admission.errors import ClusterError
from admission.handler import Clock
from admission.serving.tls import utc_datetime

TRIES: Final = 8
"""Times in a row that others may be faster to write the Secret; each of them has done what was to do."""


class Secret(Protocol):
    """The one Secret."""

    def read(self) -> Kept:
        """What is in it now, not what was.

        Raises:
            ClusterError: the API server is away or refuses.
        """
        ...

    def write(self, data: Mapping[str, bytes], version: str | None) -> bool:
        """Replace our keys, if the Secret still has that version; with None, if there still is none.

        False when somebody else was faster.

        Raises:
            ClusterError: the API server is away or refuses.
        """
        ...


class Publisher(Protocol):
    """The webhook configurations, of which nothing but each caBundle is ours."""

    def look(self) -> Published:
        """Which there are, and what they trust.

        Raises:
            ClusterError: the API server is away or refuses.
        """
        ...

    def publish(self, registered: Registered, bundle: bytes) -> bool:
        """Let every webhook of a configuration trust a bundle (PEM), if it still is the one that was looked at.

        False when it is not.

        Raises:
            ClusterError: the API server is away or refuses.
        """
        ...


@dataclass(frozen=True, slots=True)
class Round:
    """What a replica knows after a round.

    ``shown`` is the leaf to serve with; ``trusted``: nobody who calls is known not to trust it. ``changed``: this
    replica has written the Secret; ``pending``: there is more to do soon. ``problems`` are what was wrong with the
    Secret, ``troubles`` what could not be done. ``published`` is None when that could not be seen, ``ahead`` how far
    this replica's clock is ahead of the API server's when that matters.
    """

    bundle: Bundle
    shown: KeyPair
    at: datetime
    changed: bool
    pending: bool
    trusted: bool
    problems: tuple[str, ...]
    troubles: tuple[ClusterError, ...]
    published: Published | None
    ahead: timedelta | None


class Keeper:
    """One replica's view of the Secret and the configurations. Blocks: for a thread of its own."""

    def __init__(self, secret: Secret, publisher: Publisher, names: Sequence[str], clock: Clock) -> None:
        """``names`` are those by which the API server calls."""
        self._secret = secret
        self._publisher = publisher
        self._names = names
        self._clock = clock
        self._remembered: Bundle | None = None
        self._shown: KeyPair | None = None

    def round(self) -> Round:
        """Look at everything, do what is to do, and say which leaf to serve with.

        Raises:
            ClusterError: the Secret cannot be read; or there is no leaf in it, and none can be written.
        """
        troubles: list[ClusterError] = []
        published = self._look(troubles)
        agreed = self._agree(published, troubles)
        if agreed.kept:
            self._remembered = agreed.bundle
        self._shown = leaf_to_show(self._shown, agreed.bundle, self._names, agreed.at, published)
        late = published is not None and agreed.kept and self._publish(published, agreed.bundle, troubles)
        return Round(
            agreed.bundle,
            self._shown,
            agreed.at,
            agreed.changed,
            agreed.changed or late,
            _trusted(self._shown, agreed.bundle, published),
            agreed.problems,
            tuple(troubles),
            published,
            agreed.ahead,
        )

    def _look(self, troubles: list[ClusterError]) -> Published | None:
        try:
            return self._publisher.look()
        except ClusterError as error:
            troubles.append(error)
            return None

    def _agree(self, published: Published | None, troubles: list[ClusterError]) -> _Agreed:
        """Bring the Secret up to date, or find that somebody else has."""
        for _ in range(TRIES):
            kept = self._secret.read()
            at, ahead = time_of(kept, self._clock)
            reading = of_data(kept.data)
            if reading.problems and published is None:  # nobody knows which leaves would lose their trust
                return self._unwritten(reading, at, ahead, troubles[0])
            sound = mended(reading, self._remembered, self._names, at, published)
            bundle = advanced(sound, self._names, at, published)
            data = to_data(bundle)
            if data == kept.ours:
                return _Agreed(bundle, at, ahead)
            try:
                written = self._secret.write(data, kept.version)
            except ClusterError as error:
                troubles.append(error)
                return self._unwritten(reading, at, ahead, error)
            if written:
                return _Agreed(bundle, at, ahead, changed=True, problems=reading.problems)
        raise ClusterError("the Secret of the certificates is written by others again and again")

    def _unwritten(self, reading: Reading, at: datetime, ahead: timedelta | None, error: ClusterError) -> _Agreed:
        """What can be gone on with when the Secret cannot be written: what is in it, or better what is remembered."""
        if reading.bundle is not None and not reading.problems:
            found = _Agreed(reading.bundle, at, ahead)
        elif (other := self._remembered or reading.bundle) is not None:
            found = _Agreed(other, at, ahead, kept=False, problems=reading.problems)
        else:
            raise error
        if not fit(found.bundle.leaf, self._names, at):
            raise error
        return found

    def _publish(self, published: Published, bundle: Bundle, troubles: list[ClusterError]) -> bool:
        """Publish what the Secret says; True when there was something to publish, which is to be seen soon."""
        late = published.others_than(bundle.trusted_pem)
        for registered in late:
            try:
                self._publisher.publish(registered, bundle.trusted_pem)
            except ClusterError as error:
                troubles.append(error)
        return bool(late)


def _trusted(leaf: KeyPair, bundle: Bundle, published: Published | None) -> bool:
    issuer = issuer_among(leaf.certificate, bundle.trusted)
    return published is None or (issuer is not None and published.trusts(issuer))


def time_of(kept: Kept, clock: Clock) -> tuple[datetime, timedelta | None]:
    """Now by this clock; by that of the API server, which judges certificates, when they differ by more than minutes.

    The other value is how far this clock is ahead then.
    """
    at = utc_datetime(clock())
    if kept.at is None or abs(at - kept.at) <= SKEW:
        return at, None
    return kept.at, at - kept.at


@dataclass(frozen=True, slots=True)
class _Agreed:
    """``kept``: it is in the Secret, so that it may be published, and is worth to be remembered."""

    bundle: Bundle
    at: datetime
    ahead: timedelta | None
    changed: bool = False
    kept: bool = True
    problems: tuple[str, ...] = ()
