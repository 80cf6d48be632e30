"""One replica: what listens, what answers, and what tells about it."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import ssl
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

from aiohttp import web

from admission.engine.policy import PolicySet
from admission.handler import Clock, Handler
from admission.observe.archive import Archive
from admission.observe.decisionlog import DecisionLog
from admission.observe.metrics import Metrics
from admission.observe.observer import Observer
from admission.observe.processlog import ProcessLog
from admission.observe.sink import Sink
from admission.serving.lifecycle import Lifecycle
from admission.serving.listener import Listener, most_descriptors
from admission.serving.probes import Probes
from admission.serving.reviews import Reviews
from admission.settings import Settings

BACKLOG: Final = 1024
"""Connections that may wait to be accepted: the API server opens one per concurrent call after an idle time."""

HANDSHAKE_TIMEOUT: Final = 10.0  # what Go's client allows for it
FINISH_TIMEOUT: Final = 30.0  # no webhook's timeout is longer, so nobody waits for what takes longer
AT_ONCE: Final = 0.1
_PROBE_KEEP_ALIVE: Final = 75.0  # longer than the default interval of Prometheus


class Server:
    """One replica: what listens, what answers, and what tells about it.

    Policies are replaced with :meth:`use`; ``tls`` is the live context, into which a new pair can be loaded.
    """

    def __init__(
        self,
        settings: Settings,
        policies: PolicySet,
        tls: ssl.SSLContext,
        sink: Sink,
        process: ProcessLog,
        clock: Clock = time.time_ns,
    ) -> None:
        self.settings = settings
        self.tls = tls
        self.process = process
        self.lifecycle = Lifecycle()
        self.metrics = Metrics()
        self.handler = Handler(policies, clock)
        self.use(policies)
        self._decisions = DecisionLog(
            sink,
            instance=settings.instance or socket.gethostname(),
            sample=settings.decision_log_sample_unchanged,
            archive=self._archive(),
            on_dropped=self.metrics.count_dropped,
        )
        observer = Observer(self.metrics, self._decisions, process)
        self._reviews = Reviews(self.handler, observer, self.lifecycle, max_body=settings.max_body)
        self._listeners: list[Listener | asyncio.Server] = []
        self._protocols: list[web.Server] = []
        self._probes: web.AppRunner | None = None

    def _archive(self) -> Archive | None:
        if not self.settings.decision_log_values:
            return None
        return Archive(
            max_line=self.settings.decision_log_max_line,
            on_left_out=self.metrics.count_truncated,
            on_fault=lambda error: self.process.fault("archive", error),
        )

    @property
    def in_flight(self) -> int:
        """Calls that are being answered."""
        return self._reviews.in_flight

    def use(self, policies: PolicySet) -> None:
        """Judge and count by these policies from now on."""
        self.handler.policies = policies
        self.metrics.use(policies)

    async def start(self) -> Listening:
        """Listen; then ready.

        Raises:
            OSError: an address cannot be bound.
        """
        settings = self.settings
        reviews = self._reviews.server(settings.keep_alive)
        self._probes = web.AppRunner(
            Probes(self.lifecycle, self.metrics).application(), access_log=None, keepalive_timeout=_PROBE_KEEP_ALIVE
        )
        await self._probes.setup()
        assert self._probes.server is not None, "set up in the line above"  # noqa: S101
        listening = Listening(
            reviews=await self._listen_for_reviews(reviews),
            probes=await self._listen_for_probes(self._probes.server),
        )
        self.lifecycle.serve()
        self._tell(listening)
        return listening

    async def drain(self) -> None:
        """Fail the readiness probe, keep answering while the cluster takes note, finish what is in flight, end."""
        self.lifecycle.drain()
        self.process.info("draining", seconds=self.settings.drain, note="a second signal stops at once")
        await asyncio.sleep(self.settings.drain)
        await self.stop()
        self.process.info("stopped")

    async def stop(self, patience: float = FINISH_TIMEOUT) -> None:
        """Take no more calls, finish those that are in flight, write what is left of the decision log.

        After ``patience`` seconds what is not finished is broken off.
        """
        self.lifecycle.drain()
        for listener in self._listeners:
            listener.close()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._reviews.finished(), patience)
        for protocols in self._protocols:
            protocols.pre_shutdown()
            await protocols.shutdown(timeout=AT_ONCE)
        if self._probes is not None:
            await self._probes.cleanup()
        self.close_log()

    def close_log(self) -> None:
        """Write what is left of the decision log."""
        if not self._decisions.close():
            self.process.warning("the decision log was too slow; its last lines are lost")

    def tell_loop_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Log what nobody else caught, without the text of objects that asyncio adds."""
        self.process.fault("event_loop", context.get("exception"), template=str(context.get("message", "")))

    async def _listen_for_reviews(self, protocols: web.Server) -> tuple[str, ...]:
        options = {"ssl": self.tls, "ssl_handshake_timeout": HANDSHAKE_TIMEOUT}
        listener = Listener(protocols, most_descriptors(), self._tell_full, **options)
        with _named("--port", self.settings.port):
            bound = await listener.listen(self.settings.listens_on, self.settings.port, BACKLOG)
        return self._listens(listener, protocols, bound)

    async def _listen_for_probes(self, protocols: web.Server) -> tuple[str, ...]:
        with _named("--probe-port", self.settings.probe_port):
            listener = await asyncio.get_running_loop().create_server(
                protocols, self.settings.listens_on, self.settings.probe_port, backlog=BACKLOG, reuse_address=True
            )
        return self._listens(listener, protocols, listener.sockets)

    def _listens(
        self, listener: Listener | asyncio.Server, protocols: web.Server, bound: Sequence[Any]
    ) -> tuple[str, ...]:
        self._listeners.append(listener)
        self._protocols.append(protocols)
        return tuple(_address(each.getsockname()) for each in bound)

    def _tell_full(self) -> None:
        self.process.fault("too_many_connections", consequence="closed at once; raise the limit of open files")

    def _tell(self, listening: Listening) -> None:
        policies = self.handler.policies
        self.process.info(
            "serving",
            reviews=[f"https://{address}/mutate" for address in listening.reviews],
            probes=[f"http://{address}/readyz" for address in listening.probes],
            policies=len(policies.policies),
            modes=Counter(policy.mode.value for policy in policies.policies),
            digest=policies.digest,
        )


@dataclass(frozen=True, slots=True)
class Listening:
    """The addresses that are bound: ``HOST:PORT``, IPv6 hosts in brackets."""

    reviews: tuple[str, ...]
    probes: tuple[str, ...]


def _address(name: Sequence[Any]) -> str:
    host, port = name[0], name[1]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


@contextmanager
def _named(flag: str, port: int) -> Iterator[None]:
    """Say of which flag an address is that cannot be bound, and what to do."""
    try:
        yield
    except OSError as error:
        advice = "; 0 takes a free port" if error.errno == errno.EADDRINUSE else ""
        raise OSError(error.errno, f"{flag} {port}: {os.strerror(error.errno or 0)}{advice}") from error
