"""Lets a keeper do its rounds beside the answers, and shows what it says: nothing of it ever ends or delays those."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from admission.certificates.keypair import KeyPair
from admission.certificates.published import Published
from admission.errors import CertificateError, ClusterError
from admission.serving.beside import beside
from admission.serving.keeper import Keeper, Round
from admission.serving.keptleaf import KeptLeaf
from admission.serving.server import Server

SOON: Final = 1.0
"""Seconds until the next round when the last one has left something to see."""

FIRST_WITHIN: Final = 3.0
"""Seconds that the start waits for the first certificate; then it listens, and is not ready."""

_SPREAD: Final = 0.2  # of the pause, so that replicas that start together do not always ask together


class KeptCertificate:
    """Keeps the certificate of a server up to date; the one in use stays while nobody answers."""

    def __init__(
        self,
        keeper: Keeper,
        leaf: KeptLeaf,
        server: Server,
        every: float,
        *,
        chance: Callable[[], float] = random.random,
    ) -> None:
        """``every`` is the pause between two rounds, in seconds."""
        self._keeper = keeper
        self._leaf = leaf
        self._server = server
        self._every = every
        self._chance = chance
        self._shown: KeyPair | None = None
        self._welcomed = False
        self._told: dict[str, str] = {}
        self._heard = asyncio.Event()

    async def heard(self, within: float = FIRST_WITHIN) -> None:
        """Wait for the first round, or why it failed; not for long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._heard.wait()

    async def run(self) -> None:
        """Go on until cancelled."""
        while True:
            pending = await self._round()
            self._heard.set()
            pause = min(SOON, self._every) if pending else self._every
            await asyncio.sleep(pause * (1 + _SPREAD * (self._chance() - 0.5)))

    async def _round(self) -> bool:
        """One round; True when the next one should come soon."""
        try:
            done = await beside(self._keeper.round)
        except ClusterError as error:
            self._trouble("secret", str(error))
            return not self._welcomed
        except Exception as error:  # never known to happen, and never to be the end of it
            self._server.metrics.count_certificate_failure("fault")
            self._server.process.fault("certificates", error, consequence=self._consequence)
            return False
        self._well("secret")
        self._tell(done)
        return self._show(done) or done.pending

    def _show(self, done: Round) -> bool:
        """Serve with the leaf of the round; True when it has to be tried again."""
        self._server.metrics.authority_expires(done.bundle.ca.not_valid_after_utc)
        if self._shown is not None and done.shown.certificate == self._shown.certificate:
            return not self._welcome(done)
        try:
            secured = self._leaf.replaced(done.shown, done.at)
        except CertificateError as error:
            self._trouble("tls", str(error))
            return True
        self._well("tls")
        self._server.process.info("certificate in use", serial=f"{secured.serial:x}", expires=secured.expires)
        self._shown = done.shown
        self._server.secure(secured)
        return not self._welcome(done)

    def _welcome(self, done: Round) -> bool:
        """Be ready once the leaf is trusted, and stay so: a replica that nobody trusts takes no other one's place."""
        if not self._welcomed and done.trusted:
            self._welcomed = True
            self._server.welcome()
        if self._welcomed:
            self._well("trust")
        elif done.troubles or not done.pending:  # else it has just been published
            self._trouble("trust", "a webhook configuration does not trust this certificate yet")
        return self._welcomed

    def _tell(self, done: Round) -> None:
        process, metrics = self._server.process, self._server.metrics
        if done.changed:
            process.info(
                "certificates changed in the Secret",
                problems=list(done.problems),
                authorities=len(done.bundle.trusted),
                next=done.bundle.next is not None,
            )
            metrics.count_certificate_change(mended=bool(done.problems))
        if done.troubles:
            self._trouble("cluster", "; ".join(dict.fromkeys(map(str, done.troubles))))
        else:
            self._well("cluster")
        if done.ahead is None:
            self._well("clock")
        else:
            self._trouble("clock", "it is not that of the API server", ahead_seconds=round(done.ahead.total_seconds()))
        if done.published is not None:
            self._tell_registered(done.published)

    def _tell_registered(self, published: Published) -> None:
        self._server.metrics.registered(not published.off)
        if published.off:
            self._once("registration", "off", "no webhook configuration: nothing is sent here, writes pass untrimmed")
        elif self._told.pop("registration", None):
            self._server.process.info("webhook configuration is there again")

    def _trouble(self, cause: str, problem: str, **more: object) -> None:
        self._server.metrics.count_certificate_failure(cause)
        self._once(
            cause, problem, "certificates not kept", cause=cause, problem=problem, consequence=self._consequence, **more
        )

    def _once(self, cause: str, state: str, message: str, /, **fields: object) -> None:
        if self._told.get(cause) != state:
            self._told[cause] = state
            self._server.process.warning(message, **fields)

    def _well(self, cause: str) -> None:
        if self._told.pop(cause, None) is not None:
            self._server.process.info("certificates kept again", cause=cause)

    @property
    def _consequence(self) -> str:
        return "the certificate in use stays" if self._welcomed else "not ready yet"
