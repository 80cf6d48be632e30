"""One replica: what listens, what answers, and what tells about it."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from admission.engine.evaluate import evaluate
from admission.engine.policy import PolicySet
from admission.engine.schema import Schemas
from admission.engine.turn import BUDGET
from admission.engine.validate import validate
from admission.handler import Clock, Handler
from admission.observe.archive import Archive
from admission.observe.decisionlog import DecisionLog
from admission.observe.metrics import Metrics
from admission.observe.observer import Observer
from admission.observe.processlog import ProcessLog
from admission.observe.sink import Sink
from admission.serving.connections import Connections
from admission.serving.lifecycle import Lifecycle
from admission.serving.listener import Listener, most_descriptors
from admission.serving.probes import MOST_CONNECTIONS, Probes
from admission.serving.reviews import Reviews
from admission.serving.setbacks import Setbacks
from admission.serving.target import MUTATE, VALIDATE
from admission.serving.tls import Secured
from admission.settings import Settings

BACKLOG: Final = 1024
"""Connections that may wait to be accepted: the API server opens one per concurrent call after an idle time."""

HANDSHAKE_TIMEOUT: Final = 10.0  # what Go's client allows for it
SHUTDOWN_TIMEOUT: Final = 5.0  # for an answer on its way and the client's goodbye; Go's client says it at once
ANY_DESCRIPTOR: Final = 2**31
FINISH_TIMEOUT: Final = 30.0  # no webhook's timeout is longer, so nobody waits for what takes longer
AT_ONCE: Final = 0.1


class Server:
    """One replica: what listens, what answers, and what tells about it.

    Policies are replaced with :meth:`use`, what is known of their kinds with :meth:`know`, the certificate with
    :meth:`secure`.
    """

    def __init__(
        self,
        settings: Settings,
        policies: PolicySet,
        secured: Secured,
        sink: Sink,
        process: ProcessLog,
        clock: Clock = time.time_ns,
    ) -> None:
        self.settings = settings
        self.process = process
        self.lifecycle = Lifecycle()
        self.metrics = Metrics()
        self.handler = Handler(policies, clock, partial(evaluate, budget=BUDGET), partial(validate, budget=BUDGET))
        self._setbacks = Setbacks(self.handler, self.metrics, process)
        self.use(policies)
        self._decisions = DecisionLog(
            sink,
            instance=settings.instance or socket.gethostname(),
            sample=settings.decision_log_sample_unchanged,
            archive=self._archive(),
            on_dropped=self._tell_dropped,
            on_trouble=self._tell_trouble,
        )
        self._observer = Observer(self.metrics, self._decisions, process, on_failure=self._setbacks.note)
        self._reviews = Reviews(self.handler, self._observer, self.lifecycle, settings)
        self._probes = Probes(self.lifecycle, self.metrics, self._observer)
        self.metrics.measure_in_flight(lambda: self._reviews.bytes.bytes)
        self._listeners: list[Listener] = []
        self._for_reviews: Listener | None = None
        self._connections: list[Connections] = []
        self._welcoming = True
        self.secured = secured
        self.secure(secured)

    def _tell_dropped(self, lines: int) -> None:
        self.metrics.count_dropped(lines)
        self.process.fault("decision_log_lines_lost", consequence="counted in statuscap_decision_log_dropped_total")

    def _tell_trouble(self, trouble: str) -> None:
        self.process.fault("decision_log", file=self.settings.decision_log, detail=trouble)

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

    def use(self, policies: PolicySet, skipped: int = 0) -> None:
        """Judge and count by these policies from now on. ``skipped`` are broken and left out."""
        self._setbacks.use(policies.knowing(self.handler.policies.schemas))
        self.metrics.use(policies, skipped)

    def know(self, schemas: Schemas) -> None:
        """Let no trim break these schemas from now on."""
        self._setbacks.know(schemas)

    def secure(self, secured: Secured) -> None:
        """Show this certificate from the next connection on, and demand what it demands of callers."""
        self.secured = secured
        self.metrics.certificate_expires(secured.expires)
        if self._for_reviews is not None:
            self._for_reviews.secure(secured.context)

    def welcome(self) -> None:
        """Be ready from now on, or from the start on: the certificate is one that callers trust."""
        self._welcoming = True
        if self._for_reviews is not None and not self.lifecycle.draining:
            self.lifecycle.serve()

    def await_welcome(self) -> None:
        """Listen without being ready, until :meth:`welcome`."""
        self._welcoming = False

    async def start(self) -> Listening:
        """Listen; then ready, unless that has to wait for a :meth:`welcome`.

        Raises:
            OSError: an address cannot be bound.
        """
        settings = self.settings
        self._for_reviews = Listener(
            self._kept(self._reviews.connections()),
            self._observer,
            most=settings.max_connections,
            descriptors=most_descriptors(),
            ssl=self.secured.context,
            ssl_handshake_timeout=HANDSHAKE_TIMEOUT,
            ssl_shutdown_timeout=SHUTDOWN_TIMEOUT,
        )
        probes = Listener(
            self._kept(self._probes.connections()), self._observer, most=MOST_CONNECTIONS, descriptors=ANY_DESCRIPTOR
        )
        listening = Listening(
            reviews=await self._listen(self._for_reviews, "--port", settings.port),
            probes=await self._listen(probes, "--probe-port", settings.probe_port),
        )
        if self._welcoming:
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
            async with asyncio.timeout(patience):
                await self._reviews.finished()
        for connections in self._connections:
            connections.pre_shutdown()
            await connections.shutdown(timeout=AT_ONCE)
        self.close_log()

    def close_log(self) -> None:
        """Write what is left of the decision log."""
        if not self._decisions.close():
            self.process.warning("the decision log was too slow; its last lines are lost")

    def tell_loop_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Log what nobody else caught, without the text of objects that asyncio adds."""
        self.process.fault("event_loop", context.get("exception"), template=str(context.get("message", "")))

    async def _listen(self, listener: Listener, flag: str, port: int) -> tuple[str, ...]:
        self._listeners.append(listener)
        host = self.settings.listens_on
        with _named(f"--host {host}", f"{flag} {port}"):
            bound = await listener.listen(host, port, BACKLOG)
        return tuple(_address(each.getsockname()) for each in bound)

    def tell_no_notices(self, error: Exception) -> None:
        """Say that changes of files are seen a little later, and why."""
        self.process.info(
            "no notices of changed files", error=str(error) or type(error).__name__, instead="looking every few seconds"
        )

    def _kept(self, connections: Connections) -> Connections:
        self._connections.append(connections)
        return connections

    def _tell(self, listening: Listening) -> None:
        phases = (MUTATE, VALIDATE) if self.handler.policies.rejecting.policies else (MUTATE,)
        self.process.info(
            "serving",
            reviews=[f"https://{address}{phase}" for phase in phases for address in listening.reviews],
            probes=[f"http://{address}/readyz" for address in listening.probes],
            **summary(self.handler.policies),
        )


@dataclass(frozen=True, slots=True)
class Listening:
    """The addresses that are bound: ``HOST:PORT``, IPv6 hosts in brackets."""

    reviews: tuple[str, ...]
    probes: tuple[str, ...]


def summary(policies: PolicySet) -> dict[str, Any]:
    """What a log line says of policies: how many, in which modes, and their digest."""
    modes = Counter(policy.mode.value for policy in policies.policies)
    return {"policies": len(policies.policies), "modes": modes, "digest": policies.digest}


def _address(name: Sequence[Any]) -> str:
    host, port = name[0], name[1]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


@contextmanager
def _named(host: str, port: str) -> Iterator[None]:
    """Say which flag leads to an address that cannot be bound, and what to do."""
    try:
        yield
    except UnicodeError:  # no name of a host is as long, or has an empty part
        raise OSError(errno.EINVAL, f"{host}: it is no name or address") from None
    except socket.gaierror as error:
        raise OSError(errno.EINVAL, f"{host}: {error.strerror}") from error
    except OSError as error:
        advice = "; 0 takes a free port" if error.errno == errno.EADDRINUSE else ""
        flag = host if error.errno == errno.EADDRNOTAVAIL else port
        raise OSError(error.errno, f"{flag}: {os.strerror(error.errno or 0)}{advice}") from error
