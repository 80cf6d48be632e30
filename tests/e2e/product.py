"""The product as a cluster runs it: ``statuscap serve`` in a process of its own, registered by ``statuscap manifests``.

Starting and stopping blocks, as with a ``ControlPlane``; whatever talks to the API server is a coroutine.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from signal import SIGSTOP, SIGTERM
from types import TracebackType
from typing import Any, Self

import trustme
import yaml

from tests.controlplane.build import tail
from tests.controlplane.client import ApiClient
from tests.controlplane.loopback import HOST, ask, free_port
from tests.controlplane.metrics import Sample, samples
from tests.controlplane.process import ServerProcess
from tests.controlplane.resources import MUTATING_WEBHOOKS, VALIDATING_WEBHOOKS, Resource
from tests.controlplane.waiting import eventually
from tests.e2e.barrier import obeyed
from tests.e2e.mount import swap

Json = dict[str, Any]
Policy = Path | str | Mapping[str, Any]

COMMAND = (sys.executable, "-m", "admission")
CONFIGURATIONS = {
    "MutatingWebhookConfiguration": MUTATING_WEBHOOKS,
    "ValidatingWebhookConfiguration": VALIDATING_WEBHOOKS,
}
PORT_TRIES = 5  # a port may be taken between looking and listening
START_WITHIN = 30.0  # seconds; a start takes about one, the rest is for a busy machine
EXIT_WITHIN = 30.0  # seconds between SIGTERM and the exit, above the longest drain that a test asks for
PATIENCE = 20  # seconds that the API server waits for an answer, unless a test is about it
POLL_EVERY = 0.02  # seconds between two looks at a process
LOG_TAIL = 30  # lines of the log in the error of a failed start
PORT_TAKEN = "in use"


class ProductError(Exception):
    """The product did not do what it was started for; the message holds its words."""


class Statuscap:
    """A running ``statuscap serve``, as a context manager.

    ``policies`` are files, directories, ``preset:NAME``, or documents, which are written to ``policies_folder`` (where
    the product watches them). ``mode`` overrides theirs. ``name`` replaces that of the webhook configurations, so
    that several can be registered beside each other. ``flags`` are added last, ``registration`` to those of
    ``statuscap manifests``, ``environment`` to that of the tests.
    ``url`` answers the API server by the certificate of ``ca_path``; ``probe_url`` has ``/readyz`` and ``/metrics``.
    Everything lives in ``folder``; without one, in a temporary folder that is removed at the end. Ports and certificate
    stay the same over restarts. With a ``ca`` the certificate is of that, in a folder like a mounted Secret; with
    ``cert_secret`` (``NAMESPACE/NAME``) it is in a Secret of the cluster, and the product publishes its CA itself; else
    the product makes its own. ``called_at`` is the URL that the API server calls, when it is not the product's own.

    Should this process be killed, the kernel ends the product (Linux).
    """

    def __init__(
        self,
        policies: Sequence[Policy],
        *,
        mode: str | None = None,
        drain: str = "0s",
        name: str = "",
        patience: int = PATIENCE,
        flags: Sequence[str] = (),
        registration: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        ca: trustme.CA | None = None,
        cert_secret: str = "",
        called_at: str = "",
        folder: Path | None = None,
        port: Callable[[], int] = free_port,
    ) -> None:
        self._policies = [*policies]
        self._ca = ca
        self._cert_secret = cert_secret
        self._called_at = called_at
        self._environment = [f"{name}={value}" for name, value in (environment or {}).items()]
        self._given = [*(["--mode", mode] if mode else []), "--drain", drain, *flags]
        self._registration = [*registration]
        self._temporary = folder is None
        self._port = port
        self._process: ServerProcess | None = None
        self.registered: list[Json] = []
        self._patience = patience
        self.name = name
        self.folder = folder or Path(tempfile.gettempdir()) / f"statuscap-{secrets.token_hex(6)}"
        self.policies_folder = self.folder / "policies"
        self.certificates = self.folder / "certs"
        self.ca_path = self.certificates / "ca.crt"
        self.decision_log = self.folder / "decisions.jsonl"
        self.log = self.folder / "statuscap.log"
        self.url = ""
        self.probe_url = ""

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    # --- the process -------------------------------------------------------------------------------------------------

    @property
    def pid(self) -> int:
        """The process id; raises ``ProductError`` when it was never started."""
        return self._running().pid

    @property
    def exit_code(self) -> int | None:
        """The exit code, None while it runs; negative: the signal that ended it."""
        return self._running().exit_code

    def start(self) -> None:
        """Start it, ready on return; raises ``ProductError`` with the end of its log and leaves nothing behind."""
        try:
            self._prepare()
            self._start_on_free_ports()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End it at once and remove the temporary folder; harmless when it does not run."""
        self.kill()
        if self._temporary:
            shutil.rmtree(self.folder, ignore_errors=True)

    def restart(self) -> None:
        """Start it again on the same ports, after ``kill`` or ``terminate``; ready on return."""
        self.kill()
        self._start()

    def terminate(self) -> int:
        """Send SIGTERM, await the exit and return its code; an exit that does not come is a kill (-9)."""
        running = self._running()
        running.stop(EXIT_WITHIN)
        assert running.exit_code is not None
        return running.exit_code

    def begin_drain(self) -> None:
        """Send SIGTERM and return at once; ``ended`` awaits the exit."""
        self._running().signal(SIGTERM)

    async def ended(self) -> int:
        """Return the exit code once there is one; raises ``TimeoutError``."""

        async def look() -> bool:
            return self.exit_code is not None

        await eventually(look, within=EXIT_WITHIN, what="the exit of statuscap")
        assert self.exit_code is not None
        return self.exit_code

    def hang(self) -> None:
        """Stop it without ending it (SIGSTOP), as a starved or deadlocked process would; ``kill`` ends that too."""
        self._running().signal(SIGSTOP)

    def kill(self) -> None:
        """End it with SIGKILL, as a crash would; harmless when it does not run."""
        if self._process is not None:
            self._process.kill()

    def ready(self) -> bool:
        """Tell whether ``/readyz`` says that reviews are answered."""
        return ask(self.probe_url, "/readyz").status == 200

    def write_policy(self, policy: Mapping[str, Any]) -> Path:
        """Write a document to the watched ``policies_folder``, over the one of the same name."""
        path = self.policies_folder / f"{policy['metadata']['name']}.yaml"
        draft = path.with_suffix(".draft")
        draft.write_text(json.dumps(policy, indent=2))
        return draft.replace(path)

    def renew_certificate(self) -> None:
        """Replace certificate and key at once by new ones of the CA, as the kubelet does with a Secret."""
        assert self._ca is not None, "its own certificate is nobody else's to renew"
        leaf = self._ca.issue_cert(HOST)
        swap(
            self.certificates,
            {"tls.crt": leaf.cert_chain_pems[0].bytes(), "tls.key": leaf.private_key_pem.bytes()},
        )

    # --- what it tells -----------------------------------------------------------------------------------------------

    def decisions(self, **fields: object) -> list[Json]:
        """Return the lines of the decision log so far whose fields have these values, oldest first.

        The log is written beside the answers: a test that expects a line awaits it with ``decided``.
        """
        text = self.decision_log.read_text() if self.decision_log.exists() else ""
        whole, _, _ = text.rpartition("\n")  # the last line may still be being written
        lines = [json.loads(line) for line in whole.splitlines()]
        return [line for line in lines if all(line.get(key) == value for key, value in fields.items())]

    async def decided(self, *, at_least: int = 1, **fields: object) -> list[Json]:
        """Return ``decisions(**fields)`` once there are that many; raises ``TimeoutError``."""

        async def look() -> list[Json]:
            found = self.decisions(**fields)
            return found if len(found) >= at_least else []

        return await eventually(look, within=10, what=f"{at_least} decisions with {fields}")

    async def said(self, message: str, *, times: int = 1) -> Json:
        """Return the latest line of the process log with this message, once there are so many of them."""

        async def look() -> list[Json]:
            lines = [json.loads(line) for line in self.log.read_text().splitlines(keepends=True) if line.endswith("\n")]
            found = [line for line in lines if line["message"] == message]
            return found if len(found) >= times else []

        return (await eventually(look, what=f"{times} × {message!r}"))[-1]

    def metrics(self, name_prefix: str) -> list[Sample]:
        """Return the product's own samples whose name starts with ``name_prefix``."""
        return [*samples(ask(self.probe_url, "/metrics").body.decode(), name_prefix)]

    # --- its registration --------------------------------------------------------------------------------------------

    async def manifests(self, *flags: str) -> list[Json]:
        """Return the webhook configurations that ``statuscap manifests`` prints for this process."""
        trusted = [] if self._cert_secret else ["--ca-file", str(self.ca_path)]
        arguments = [*self._policy_flags(), "--only", "webhook", "--url", self._called_at or self.url, *trusted]
        arguments += [*self._registration, *flags]
        process = await asyncio.create_subprocess_exec(
            *COMMAND, "manifests", *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        out, errors = await process.communicate()
        if process.returncode != 0:
            raise ProductError(f"statuscap manifests ended with {process.returncode}:\n{errors.decode()}")
        return [document for document in yaml.safe_load_all(out) if document]

    async def register(self, client: ApiClient) -> list[Json]:
        """Create the configurations that ``manifests`` prints; on return the API server calls them. Returns them.

        Only the timeout is ``patience``: on a busy machine an answer that comes late would look like none.
        """
        documents = await self.manifests()
        for document in documents:
            document["metadata"]["name"] = self.name or document["metadata"]["name"]
            for webhook in document["webhooks"]:
                webhook["timeoutSeconds"] = self._patience
        await self._create(client, documents)
        return documents

    async def unregister(self, client: ApiClient) -> None:
        """Delete what ``register`` created; on return the API server calls it no more."""
        for document in self.registered:
            await client.delete(CONFIGURATIONS[document["kind"]], document["metadata"]["name"])
        await obeyed(client, kinds(self.registered))
        self.registered = []

    @contextlib.asynccontextmanager
    async def in_charge(self, client: ApiClient) -> AsyncIterator[Self]:
        """Start and register it, and take both back at the end."""
        with self:
            await self.register(client)
            try:
                yield self
            finally:
                await self.unregister(client)

    @contextlib.asynccontextmanager
    async def unregistered(self, client: ApiClient) -> AsyncIterator[None]:
        """Unregister for a while: what is written inside was there before the product was."""
        documents = self.registered
        await self.unregister(client)
        try:
            yield
        finally:
            await self._create(client, documents)

    async def _create(self, client: ApiClient, documents: list[Json]) -> None:
        for document in documents:
            answer = await client.create(CONFIGURATIONS[document["kind"]], document)
            if answer.status != 201:
                raise ProductError(f"the API server refused a {document['kind']}: {answer.body.get('message')}")
        self.registered = documents
        await obeyed(client, kinds(documents))

    # --- inside ------------------------------------------------------------------------------------------------------

    def _prepare(self) -> None:
        self.policies_folder.mkdir(parents=True, exist_ok=True)
        self.certificates.mkdir(mode=0o700, exist_ok=True)
        if self._ca is not None:
            self._ca.cert_pem.write_to_path(self.ca_path)
            self.renew_certificate()
        for policy in self._policies:
            if isinstance(policy, Mapping):
                self.write_policy(policy)

    def _policy_flags(self) -> list[str]:
        documents = [str(self.policies_folder)] if any(isinstance(one, Mapping) for one in self._policies) else []
        others = [str(one) for one in self._policies if not isinstance(one, Mapping)]
        return [part for path in [*documents, *others] for part in ("-p", path)]

    def _start_on_free_ports(self) -> None:
        for _ in range(PORT_TRIES - 1):
            self._choose_ports()
            with contextlib.suppress(_PortTakenError):
                return self._start()
        self._choose_ports()
        return self._start()

    def _choose_ports(self) -> None:
        self.url = f"https://{HOST}:{self._port()}"
        self.probe_url = f"http://{HOST}:{self._port()}"

    def _start(self) -> None:
        self._process = ServerProcess(self._command(), self.log)
        deadline = time.monotonic() + START_WITHIN
        while not self.ready():
            if self._process.exit_code is not None:
                raise failure(f"statuscap serve ended with exit code {self._process.exit_code}", self.log)
            if time.monotonic() > deadline:
                raise failure(f"statuscap serve was not ready within {START_WITHIN:.0f} s", self.log)
            time.sleep(POLL_EVERY)

    def _command(self) -> list[str]:
        ports = ["--port", self.url.rpartition(":")[2], "--probe-port", self.probe_url.rpartition(":")[2]]
        pair = ["--tls-cert", str(self.certificates / "tls.crt"), "--tls-key", str(self.certificates / "tls.key")]
        kept = ["--cert-secret", self._cert_secret, "--url", self._called_at or self.url, "--registration", self.name]
        dev = ["--dev", "--cert-dir", str(self.certificates)]
        shown = kept if self._cert_secret else dev if self._ca is None else pair
        log = ["--decision-log", str(self.decision_log)]
        return [
            "/usr/bin/env",
            *self._environment,
            *COMMAND,
            "serve",
            *self._policy_flags(),
            "--host",
            HOST,
            *ports,
            *shown,
            *log,
            *self._given,
        ]

    def _running(self) -> ServerProcess:
        if self._process is None:
            raise ProductError("statuscap does not run; start it first.")
        return self._process


class _PortTakenError(ProductError):
    """Somebody else listens on one of the ports."""


def kinds(configurations: Sequence[Json]) -> list[Resource]:
    """Return the collections that hold these configurations."""
    return [CONFIGURATIONS[configuration["kind"]] for configuration in configurations]


def failure(what: str, log: Path) -> ProductError:
    """Return the error of a failed start with the end of the log in it."""
    text = tail(log, LOG_TAIL)
    kind = _PortTakenError if PORT_TAKEN in text else ProductError
    return kind(f"{what}. The end of its log:\n{text}")
