"""From settings to a running server, and from SIGTERM to a quiet end."""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import os
import signal
import socket
import ssl
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import uvloop
from aiohttp import web

from admission.engine.policy import PolicySet
from admission.errors import CertificateError, PolicyError
from admission.handler import Clock, Handler
from admission.observe.decisionlog import DecisionLog
from admission.observe.metrics import Metrics
from admission.observe.observer import Observer
from admission.observe.processlog import ProcessLog
from admission.observe.sink import DescriptorSink, Sink
from admission.policyfile.loader import load_policies
from admission.serving.lifecycle import Lifecycle
from admission.serving.listener import Listener, most_descriptors
from admission.serving.probes import Probes
from admission.serving.reviews import Reviews
from admission.serving.tls import Pair, development_pair, server_context, utc_datetime
from admission.settings import STDOUT, Settings, in_mode

OK: Final = 0
INTERRUPTED: Final = 130
UNUSABLE: Final = 2
"""Exit codes: a quiet end, a second signal, and policies, certificates or addresses that cannot be used."""

BACKLOG: Final = 1024
"""Connections that may wait to be accepted: the API server opens one per concurrent call after an idle time."""

HANDSHAKE_TIMEOUT: Final = 10.0  # what Go's client allows for it
FINISH_TIMEOUT: Final = 30.0  # no webhook's timeout is longer, so nobody waits for what takes longer
AT_ONCE: Final = 0.1
_CONTAINERS_BETWEEN_COLLECTIONS: Final = 20_000  # some dozens of reviews; a few MB when all were garbage
_PROBE_KEEP_ALIVE: Final = 75.0  # longer than the default interval of Prometheus


def run(settings: Settings, *, stderr: Sink | None = None, clock: Clock = time.time_ns) -> int:
    """Serve until a signal; returns the exit code.

    Everything that is wrong with the policies or the certificate is written to ``stderr`` (that of the process, if not
    given), one line each; after that come JSON lines, of which the message ``serving`` tells where.
    """
    stderr = DescriptorSink.stderr() if stderr is None else stderr
    try:
        policies = in_mode(load_policies(settings.policies), settings.mode)
        context = server_context(_pair(settings, clock), utc_datetime(clock()))
        sink = _sink(settings.decision_log)
    except PolicyError as error:
        return _unusable(stderr, *str(error).splitlines())
    except CertificateError as error:
        return _unusable(stderr, str(error))
    except OSError as error:
        return _unusable(stderr, f"{settings.decision_log}: the decision log cannot be opened: {error.strerror}")
    process = ProcessLog(stderr, clock, time.monotonic_ns)
    _collect_rarely()
    with (
        closing(process),
        _libraries_speak_through(process),
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        return runner.run(_serve(Server(settings, policies, context, sink, process, clock)))


async def _serve(server: Server) -> int:
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(server.tell_loop_error)
    signals = _Signals(loop)
    try:
        await server.start()
    except OSError as error:
        server.process.error("cannot listen", error=error.strerror or str(error))
        await server.stop(patience=AT_ONCE)
        return UNUSABLE
    await signals.first.wait()
    draining, interrupted = asyncio.create_task(server.drain()), asyncio.create_task(signals.second.wait())
    await asyncio.wait({draining, interrupted}, return_when=asyncio.FIRST_COMPLETED)
    interrupted.cancel()
    if draining.done():
        await draining
        return OK
    draining.cancel()
    server.process.warning("stopped at once", in_flight=server.in_flight)
    await server.stop(patience=AT_ONCE)
    return INTERRUPTED


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
            sample=settings.decision_log_sample,
            on_dropped=self.metrics.count_dropped,
        )
        observer = Observer(self.metrics, self._decisions, process)
        self._reviews = Reviews(self.handler, observer, self.lifecycle, max_body=settings.max_body)
        self._listeners: list[Listener | asyncio.Server] = []
        self._protocols: list[web.Server] = []
        self._probes: web.AppRunner | None = None

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


class _Signals:
    """SIGTERM, SIGINT, and SIGHUP unless ``nohup`` is on: the first asks for a quiet end, a second one for an end."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.first = asyncio.Event()
        self.second = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            if number is signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN:
                continue
            loop.add_signal_handler(number, self._received)

    def _received(self) -> None:
        (self.second if self.first.is_set() else self.first).set()


def _collect_rarely() -> None:
    """Leave what lives as long as the process out of every garbage collection, and collect less often.

    A review makes some hundred short-lived containers and no cycles; with the interpreter's defaults each one pays for
    a collection, and some for walking everything that was ever imported.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_CONTAINERS_BETWEEN_COLLECTIONS, 20, 50)


def _pair(settings: Settings, clock: Clock) -> Pair:
    if settings.tls_cert is not None and settings.tls_key is not None:
        return Pair(settings.tls_cert, settings.tls_key)
    return development_pair(settings.cert_dir, settings.host, utc_datetime(clock()))


def _sink(decision_log: str) -> Sink:
    return DescriptorSink.stdout() if decision_log == STDOUT else DescriptorSink.file(Path(decision_log))


def _unusable(stderr: Sink, *problems: str) -> int:
    stderr.write([f"statuscap: {problem}\n".encode(errors="backslashreplace") for problem in problems])
    return UNUSABLE


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


@contextmanager
def _libraries_speak_through(process: ProcessLog) -> Iterator[None]:
    """Send the warnings of asyncio and aiohttp to the process log."""
    root, handler = logging.getLogger(), process.handler()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
