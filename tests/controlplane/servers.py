"""Start and stop one control plane: etcd, then kube-apiserver, on loopback ports, in a folder of its own."""

from __future__ import annotations

import contextlib
import json
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.controlplane.build import Binaries, tail
from tests.controlplane.certificates import write_keys
from tests.controlplane.flags import apiserver_flags, audit_flags, etcd_flags
from tests.controlplane.kubeconfig import kubeconfig
from tests.controlplane.loopback import HOST, ask, free_port, is_free, port_of
from tests.controlplane.process import ServerProcess

PORT_TRIES = 5  # a port may be taken between looking and listening; more than a few times is another problem
START_WITHIN = 60.0  # seconds; a start takes 2 to 5, the rest is for a busy machine
STOP_WITHIN = 10.0  # seconds of grace between SIGTERM and SIGKILL; a stop takes about one
POLL_EVERY = 0.02  # seconds between two looks at a server that is starting
LOG_TAIL = 30  # lines of a server's log in the error of a failed start
READY_PATHS = ("/readyz", "/api/v1/namespaces/default")
PORT_TAKEN = "address already in use"


class ControlPlaneError(Exception):
    """A server did not start; the message holds the end of its log."""


class _PortTakenError(ControlPlaneError):
    """Somebody else listens on the port."""


class ControlPlane:
    """A running etcd and kube-apiserver, as a context manager.

    ``url``, ``token`` and ``ca_path`` (PEM) lead to kube-apiserver as a member of system:masters; ``kubeconfig`` is a
    file that holds all three. ``etcd_url`` speaks etcd's JSON gateway without authentication. ``logs`` are the
    servers' log files by name, ``pids`` the running servers' process ids. Ports, keys and token stay the same over
    restarts.

    ``apiserver_flags`` are added last, so they win over the defaults. With ``audit_policy`` (the fields of an
    audit.k8s.io/v1 Policy, such as ``{"rules": [{"level": "Request"}]}``) one JSON line an event goes to
    ``audit_log``. Everything lives in ``folder``; without one, in a temporary folder that is removed at the end.
    ``port`` is asked for a port of every listener, again when that one turns out to be taken.

    Blocking: in an event loop use ``asyncio.to_thread`` or enter it before the loop starts. Should this process be
    killed, the kernel ends both servers (Linux).
    """

    def __init__(
        self,
        binaries: Binaries,
        *,
        apiserver_flags: Sequence[str] = (),
        audit_policy: Mapping[str, Any] | None = None,
        folder: Path | None = None,
        port: Callable[[], int] = free_port,
    ) -> None:
        self._binaries = binaries
        self._extra_flags = tuple(apiserver_flags)
        self._audit_policy = audit_policy
        self._port = port
        self._name = f"statuscap-controlplane-{secrets.token_hex(6)}"
        self._temporary = folder is None
        self.folder = folder or Path(tempfile.gettempdir()) / self._name
        self.token = secrets.token_hex(16)
        self.ca_path = self.folder / "ca.crt"
        self.kubeconfig = self.folder / "kubeconfig"
        self.audit_log = self.folder / "audit.log"
        self.logs = {"etcd": self.folder / "etcd.log", "kube-apiserver": self.folder / "kube-apiserver.log"}
        self.etcd_url = ""
        self.url = ""
        self._etcd: ServerProcess | None = None
        self._apiserver: ServerProcess | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def pids(self) -> dict[str, int]:
        """The process ids of the servers that run, by name."""
        running = {"etcd": self._etcd, "kube-apiserver": self._apiserver}
        return {name: server.pid for name, server in running.items() if server and server.exit_code is None}

    @property
    def etcd(self) -> ServerProcess:
        """The etcd process, for tests that hurt it."""
        return present(self._etcd)

    @property
    def apiserver(self) -> ServerProcess:
        """The kube-apiserver process, for tests that hurt it."""
        return present(self._apiserver)

    def start(self) -> None:
        """Start both, ready on return; raises ``ControlPlaneError`` and then leaves nothing behind."""
        try:
            self._prepare()
            self._start_on_free_ports(self._start_etcd)
            self._start_on_free_ports(self._start_apiserver)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop both, kube-apiserver first, and remove the temporary folder; harmless when nothing runs."""
        self.stop_apiserver()
        self.stop_etcd()
        if self._temporary:
            shutil.rmtree(self.folder, ignore_errors=True)

    def stop_apiserver(self, *, kill: bool = False) -> None:
        """Stop kube-apiserver alone; ``kill`` as a crash would."""
        end(self._apiserver, kill)
        self._apiserver = None

    def stop_etcd(self, *, kill: bool = False) -> None:
        """Stop etcd alone; ``kill`` as a crash would (what it had not yet synced is in the page cache and stays)."""
        end(self._etcd, kill)
        self._etcd = None

    def restart_apiserver(self, *, kill: bool = False, flags: Sequence[str] | None = None) -> None:
        """Stop (or kill) kube-apiserver if it runs and start it on the same port, ready on return.

        ``flags`` replaces the extra flags from now on.
        """
        self.stop_apiserver(kill=kill)
        self._extra_flags = self._extra_flags if flags is None else tuple(flags)
        self._start_again(self._start_apiserver, port_of(self.url))

    def restart_etcd(self, *, kill: bool = False) -> None:
        """Stop (or kill) etcd if it runs and start it on the same port with the same data.

        On return etcd is healthy and kube-apiserver, if it runs, has found it again. With ``kill`` about 2 s; without,
        5 s more, in which etcd waits for kube-apiserver to end its watches.
        """
        self.stop_etcd(kill=kill)
        self._start_again(self._start_etcd, port_of(self.etcd_url))
        if self._apiserver is not None:
            self._await("kube-apiserver", self._apiserver, self._apiserver_ready)

    def _prepare(self) -> None:
        """Write what the servers read: keys, the token, the audit policy."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_keys(self.folder)
        write_secret(self.folder / "tokens.csv", f'{self.token},admin,admin,"system:masters"\n')
        if self._audit_policy is not None:
            policy = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", **self._audit_policy}
            (self.folder / "audit-policy.yaml").write_text(json.dumps(policy))

    def _start_on_free_ports(self, start: Callable[[int], None]) -> None:
        for _ in range(PORT_TRIES - 1):
            with contextlib.suppress(_PortTakenError):
                return start(self._port())
        return start(self._port())

    def _start_again(self, start: Callable[[int], None], port: int) -> None:
        """Start on the port of before, which the kernel may give back only a moment after the process has ended."""
        deadline = time.monotonic() + START_WITHIN
        while True:
            while not is_free(port) and time.monotonic() < deadline:
                time.sleep(POLL_EVERY)
            try:
                return start(port)
            except _PortTakenError:
                if time.monotonic() > deadline:
                    raise

    def _start_etcd(self, port: int) -> None:
        command = [str(self._binaries.etcd), *etcd_flags(self.folder, self._name, port, self._port())]
        self.etcd_url = f"http://{HOST}:{port}"
        self._etcd = ServerProcess(command, self.logs["etcd"])
        self._await("etcd", self._etcd, self._etcd_ready)

    def _start_apiserver(self, port: int) -> None:
        flags = apiserver_flags(self.folder, port, self.etcd_url)
        audit = audit_flags(self.folder, self.audit_log) if self._audit_policy is not None else []
        self.url = f"https://{HOST}:{port}"
        write_secret(self.kubeconfig, json.dumps(kubeconfig(self.url, self.ca_path.read_bytes(), self.token), indent=2))
        command = [str(self._binaries.kube_apiserver), *flags, *audit, *self._extra_flags]
        self._apiserver = ServerProcess(command, self.logs["kube-apiserver"])
        self._await("kube-apiserver", self._apiserver, self._apiserver_ready)

    def _await(self, name: str, server: ServerProcess, ready: Callable[[], bool]) -> None:
        """Return when ``ready``; raise with the end of the log when the server ended or START_WITHIN has passed."""
        deadline = time.monotonic() + START_WITHIN
        while not ready():
            if server.exit_code is not None:
                raise failure(f"{name} ended with exit code {server.exit_code} instead of becoming ready", server.log)
            if time.monotonic() > deadline:
                raise failure(f"{name} was not ready within {START_WITHIN:.0f} s", server.log)
            time.sleep(POLL_EVERY)

    def _etcd_ready(self) -> bool:
        """Ready is a member list read by consensus, with our member in it: another etcd may hold the port."""
        reply = ask(self.etcd_url, "/v3/cluster/member/list", body=b"{}")
        return reply.status == 200 and self._name.encode() in reply.body

    def _apiserver_ready(self) -> bool:
        """Ready also means that the namespace ``default`` is there, which the server makes a moment after /readyz."""
        return all(ask(self.url, path, ca=self.ca_path, token=self.token).status == 200 for path in READY_PATHS)


def failure(what: str, log: Path) -> ControlPlaneError:
    """Return the error of a failed start with the end of the log in it."""
    text = tail(log, LOG_TAIL)
    kind = _PortTakenError if PORT_TAKEN in text else ControlPlaneError
    return kind(f"{what}. The end of its log:\n{text}")


def end(server: ServerProcess | None, kill: bool) -> None:
    if server is not None and kill:
        server.kill()
    elif server is not None:
        server.stop(STOP_WITHIN)


def present(server: ServerProcess | None) -> ServerProcess:
    if server is None:
        raise ControlPlaneError("the server does not run; start the control plane first.")
    return server


def write_secret(path: Path, text: str) -> None:
    """Write a file readable by its owner only."""
    path.touch(mode=0o600)
    path.write_text(text)
