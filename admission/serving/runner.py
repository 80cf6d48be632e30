"""From settings to a running server, and from SIGTERM to a quiet end."""

from __future__ import annotations

import asyncio
import gc
import logging
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, Protocol

import uvloop

from admission.certificates.rotation import first as first_bundle
from admission.crd.catalogue import SchemasByName
from admission.engine.instant import SECOND
from admission.errors import CertificateError, PolicyError
from admission.handler import Clock
from admission.observe.logfile import log_sink
from admission.observe.processlog import ProcessLog
from admission.observe.rotation import Rotation
from admission.observe.sink import DescriptorSink, Sink
from admission.policyfile.loader import Loaded
from admission.serving.certificatesource import CertificateSource, ReloadedCertificate
from admission.serving.crdsource import CrdSource, ReloadedCrds
from admission.serving.developmentpair import development_pair
from admission.serving.expiry import Expiry
from admission.serving.followedcrds import Cluster, FollowedCrds
from admission.serving.judging import Judging
from admission.serving.keeper import Keeper, Publisher, Secret
from admission.serving.keptcertificate import KeptCertificate
from admission.serving.keptleaf import KeptLeaf
from admission.serving.knownkinds import KnownKinds, Origin
from admission.serving.policysource import PolicySource, ReloadedPolicies, tell_notes
from admission.serving.reload import Reload, Running, running
from admission.serving.server import AT_ONCE, Server
from admission.serving.signals import Signals
from admission.serving.tls import Pair, utc_datetime
from admission.serving.watch import PACE, Pace, Watch
from admission.settings import STDOUT, Settings

OK: Final = 0
INTERRUPTED: Final = 130
UNUSABLE: Final = 2
"""Exit codes: a quiet end, a second signal, and policies, certificates or addresses that cannot be used."""

# With values, the log's thread is busy for 20 ms with some megabytes. An answer that waits for its turn meanwhile waits
# half as long as with the interpreter's default of 5 ms.
_SWITCH_INTERVAL: Final = 0.001
_CONTAINERS_BETWEEN_COLLECTIONS: Final = 20_000  # some dozens of reviews; a few MB when all were garbage


@dataclass(frozen=True, slots=True)
class Custody:
    """The Secret of the certificate, and the webhook configurations that make the API server trust it."""

    secret: Secret
    publisher: Publisher


class First(Running, Protocol):
    """What goes on beside the answers, and has something to say before the first of them."""

    async def heard(self) -> None:
        """Wait for that; not for long."""
        ...


def run(
    settings: Settings,
    *,
    stderr: Sink | None = None,
    stdin: BinaryIO | None = None,
    clock: Clock = time.time_ns,
    pace: Pace = PACE,
    cluster: Cluster | None = None,
    custody: Custody | None = None,
) -> int:
    """Serve until a signal; returns the exit code. ``stdin`` holds policies when ``-`` is one of their sources.

    ``cluster`` can be asked for CRDs, ``custody`` has the Secret of the certificate and the webhook configurations, if
    the settings say so.

    Everything that is wrong with the policies or the certificate is written to ``stderr`` (that of the process, if not
    given), one line each; after that come JSON lines, of which the message ``serving`` tells where.
    """
    stderr = DescriptorSink.stderr() if stderr is None else stderr
    policies = PolicySource(settings.policies, settings.mode, stdin)
    try:
        loaded = policies.load(skip_broken=settings.skip_broken)
        crds = CrdSource(settings.crds)
        known = crds.load()
        certificates = _certificates(settings, clock)
        secured = certificates.load()
        sink = _sink(settings, clock)
    except PolicyError as error:
        return _unusable(stderr, *str(error).splitlines())
    except CertificateError as error:
        return _unusable(stderr, str(error))
    except OSError as error:
        return _unusable(stderr, f"{settings.decision_log}: the decision log cannot be opened: {error.strerror}")
    process = ProcessLog(stderr, clock, time.monotonic_ns)
    _collect_rarely()
    if settings.decision_log_values:
        sys.setswitchinterval(_SWITCH_INTERVAL)
    with (
        closing(process),
        _libraries_speak_through(process),
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        server = Server(settings, loaded.policies, secured, sink, process, clock)
        server.use(loaded.policies, loaded.skipped)
        _tell_skipped(process, loaded)
        tell_notes(process, loaded)
        del loaded  # else these policies would stay when others have taken their place
        kinds = KnownKinds(server)
        first: list[First] = [] if cluster is None else [FollowedCrds(cluster, kinds, server)]
        if custody is not None and isinstance(certificates, KeptLeaf):
            first.append(_kept(custody, certificates, server, settings, clock))
        beside = [
            *_follow(policies, certificates, server, pace),
            *_follow_crds(crds, known, kinds, server, pace),
            Expiry(lambda: server.secured, process, clock),
            Judging(server),
        ]
        del known
        return runner.run(_serve(server, beside, first))


def _follow(
    policies: PolicySource, certificates: CertificateSource | KeptLeaf, server: Server, pace: Pace
) -> Iterator[Running]:
    """What keeps policies and certificate up to date."""
    of_policies = Watch(policies.files, server.tell_no_notices, pace)
    yield Reload(ReloadedPolicies(policies, server), of_policies, policies.seen, server.process)
    if certificates.files():
        of_certificates = Watch(certificates.files, lambda _: None, pace)  # the other one has told
        yield Reload(ReloadedCertificate(certificates, server), of_certificates, certificates.seen, server.process)


def _kept(custody: Custody, leaf: KeptLeaf, server: Server, settings: Settings, clock: Clock) -> KeptCertificate:
    """What keeps a certificate in a Secret; until it has one, the server is not ready."""
    server.await_welcome()
    keeper = Keeper(custody.secret, custody.publisher, settings.called_by, clock)
    return KeptCertificate(keeper, leaf, server, settings.cert_interval)


def _follow_crds(
    source: CrdSource, known: SchemasByName, kinds: KnownKinds, server: Server, pace: Pace
) -> Iterator[Running]:
    """What keeps the schemas of files up to date, when there are any."""
    if known:
        kinds.use(Origin.FILES, known)
        watch = Watch(source.files, lambda _: None, pace)  # that of the policies has told
        yield Reload(ReloadedCrds(source, kinds, server.process), watch, source.seen, server.process)


async def _serve(server: Server, beside: Sequence[Running], first: Sequence[First]) -> int:
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(server.tell_loop_error)
    signals = Signals(loop)
    if not first:
        return await _start(server, beside, signals)
    async with running(first):
        await asyncio.gather(*(each.heard() for each in first))
        return await _start(server, beside, signals)


async def _start(server: Server, beside: Sequence[Running], signals: Signals) -> int:
    try:
        await server.start()
    except OSError as error:
        server.process.error("cannot listen", error=error.strerror or str(error))
        await server.stop(patience=AT_ONCE)
        return UNUSABLE
    async with running(beside):
        return await _until_ended(server, signals)


async def _until_ended(server: Server, signals: Signals) -> int:
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


def _tell_skipped(process: ProcessLog, loaded: Loaded) -> None:
    if loaded.problems:
        problems = [str(problem) for problem in loaded.problems]
        process.warning(
            "broken policies skipped", skipped=loaded.skipped, problems=problems, consequence="the others are served"
        )


def _collect_rarely() -> None:
    """Leave what lives as long as the process out of every garbage collection, and collect less often.

    A review makes some hundred short-lived containers and no cycles; with the interpreter's defaults each one pays for
    a collection, and some for walking everything that was ever imported.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_CONTAINERS_BETWEEN_COLLECTIONS, 20, 50)


def _certificates(settings: Settings, clock: Clock) -> CertificateSource | KeptLeaf:
    """Where the certificate comes from. Until there is one in the Secret, one that nobody trusts stands in for it."""
    if settings.cert_secret is None:
        return CertificateSource(_pair(settings, clock), settings.client_ca, clock)
    at = utc_datetime(clock())
    return KeptLeaf(first_bundle(settings.called_by, at).leaf, settings.client_ca, at)


def _pair(settings: Settings, clock: Clock) -> Pair:
    if settings.tls_cert is not None and settings.tls_key is not None:
        return Pair(settings.tls_cert, settings.tls_key)
    return development_pair(settings.cert_dir, settings.host, utc_datetime(clock()))


def _sink(settings: Settings, clock: Clock) -> Sink:
    if settings.decision_log == STDOUT:
        return DescriptorSink.stdout()
    rotation = Rotation(
        max_size=settings.decision_log_max_size,
        max_age=round(settings.decision_log_max_age * SECOND),
        retention=round(settings.decision_log_retention * SECOND),
        max_total=settings.decision_log_max_total,
    )
    return log_sink(Path(settings.decision_log), rotation, clock)


def _unusable(stderr: Sink, *problems: str) -> int:
    stderr.write([f"statuscap: {problem}\n".encode(errors="backslashreplace") for problem in problems])
    return UNUSABLE


@contextmanager
def _libraries_speak_through(process: ProcessLog) -> Iterator[None]:
    """Send the warnings of asyncio and aiohttp to the process log."""
    root, handler = logging.getLogger(), process.handler()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
