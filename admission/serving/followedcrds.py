"""The CRDs of the cluster, followed beside the answers: what happens to the API server never reaches a review."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Protocol

from admission.crd.catalogue import SchemasByName
from admission.serving.beside import beside
from admission.serving.knownkinds import KnownKinds, Origin
from admission.serving.server import Server

AT_FIRST: Final = 1.0
AT_MOST: Final = 30.0
"""Seconds between two tries, doubled from one to the next while nothing is heard."""

FIRST_WITHIN: Final = 3.0
"""Seconds that the start waits for the schemas; an API server that calls webhooks answers in a tenth of one."""


class Cluster(Protocol):
    """Whoever can be asked for the CRDs of a cluster."""

    def follow(self, use: Callable[[SchemasByName], None]) -> None:
        """Tell all CRDs, and all again after each change; blocks, and returns when they have to be asked for anew.

        Raises:
            ClusterError: the API server is away or refuses.
        """
        ...


class FollowedCrds:
    """Keeps what a server knows from the cluster up to date; what was known last stays while nobody answers."""

    def __init__(self, cluster: Cluster, kinds: KnownKinds, server: Server, pause: float = AT_FIRST) -> None:
        """``pause`` is what it waits after the first failure, in seconds."""
        self._cluster = cluster
        self._kinds = kinds
        self._server = server
        self._pause = self._first_pause = pause
        self._followed: bool | None = None
        self._heard = asyncio.Event()

    async def heard(self, within: float = FIRST_WITHIN) -> None:
        """Wait for the first word, or why there is none; not for long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._heard.wait()

    async def run(self) -> None:
        """Go on until cancelled."""
        clock = asyncio.get_running_loop().time
        while True:
            since = clock()
            await self._round()
            if clock() - since > AT_MOST:  # it went well for a while
                self._pause = self._first_pause
            pause, self._pause = self._pause, min(2 * self._pause, AT_MOST)
            await asyncio.sleep(pause)

    async def _round(self) -> None:
        """Follow for as long as it goes."""
        loop, heard = asyncio.get_running_loop(), False

        def tell(schemas: SchemasByName) -> None:
            nonlocal heard
            heard = True
            prepared = self._kinds.prepared(Origin.CLUSTER, schemas)
            with suppress(RuntimeError):  # the loop is over
                loop.call_soon_threadsafe(self._use, prepared)

        try:
            await beside(lambda: self._cluster.follow(tell))
        except Exception as error:  # whatever it is: answers go on by what is known
            consequence = f"changes are seen within {AT_MOST:.0f} s" if heard else "the schemas known last stay"
            self._server.process.fault("cluster_crds", error, consequence=consequence)
            if not heard:
                self._set_followed(False)

    def _use(self, schemas: SchemasByName) -> None:
        differences = self._kinds.use(Origin.CLUSTER, schemas)
        if not self._followed:
            self._server.process.info("following the CRDs of the cluster", crds=len(schemas))
        elif any(differences.values()):
            self._server.process.info("CRDs of the cluster changed", crds=len(schemas), **differences)
        self._set_followed(True)

    def _set_followed(self, followed: bool) -> None:
        self._followed = followed
        self._server.metrics.follow(followed)
        self._heard.set()
