"""A subject at work: a process of its own, pinned to the servers' core, ready on return, stopped by its own pid."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final, NamedTuple

import trustme

from tests.bench.cores import cpu_time, peak_memory
from tests.bench.subjects import Room, Subject
from tests.controlplane.loopback import HOST, ask, free_port
from tests.controlplane.process import ServerProcess

READY_WITHIN: Final = 60.0  # seconds; about one is expected, the rest is for a busy machine
STOP_WITHIN: Final = 30.0
_LOOK_EVERY: Final = 0.005  # seconds; the resolution of a start time
_LOG_LINES: Final = 20


class StartError(Exception):
    """A subject did not become ready; the message has the end of its output."""


class KeyPair:
    """The certificate of all subjects (ECDSA P-256, for loopback) and the CA that the loader trusts."""

    def __init__(self, folder: Path) -> None:
        self.ca, self.certificate, self.key = (folder / name for name in ("ca.crt", "tls.crt", "tls.key"))
        authority = trustme.CA()
        leaf = authority.issue_cert(HOST, "localhost")
        authority.cert_pem.write_to_path(str(self.ca))
        leaf.private_key_pem.write_to_path(str(self.key))
        for number, part in enumerate(leaf.cert_chain_pems):
            part.write_to_path(str(self.certificate), append=number > 0)


class Start(NamedTuple):
    """From the spawn to the first 200 of ``/readyz``: seconds on the clock, and of CPU (free of neighbours)."""

    elapsed: float
    cpu: float


class Server:
    """A running subject."""

    def __init__(self, subject: Subject, folder: Path, keys: KeyPair, core: int) -> None:
        folder.mkdir(exist_ok=True)
        self.subject = subject
        self.room = Room(folder, free_port(), free_port(), keys.certificate, keys.key)
        self.ca = keys.ca
        command = subject.command(self.room)
        began = time.monotonic()
        self._process = ServerProcess(command, folder / "output.log", core)
        try:
            self._await_ready(began + READY_WITHIN)
        except BaseException:
            self.stop()
            raise
        self.start = Start(time.monotonic() - began, self.cpu_time / 1e9)

    def _await_ready(self, deadline: float) -> None:
        while ask(f"http://{HOST}:{self.room.probe_port}", "/readyz").status != 200:
            if self._process.exit_code is not None or time.monotonic() > deadline:
                raise StartError(f"{self.subject.name} did not become ready:\n{self._output()}")
            time.sleep(_LOOK_EVERY)

    def _output(self) -> str:
        return "\n".join(self._process.log.read_text(errors="replace").splitlines()[-_LOG_LINES:])

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def cpu_time(self) -> int:
        """CPU time so far, in nanoseconds."""
        return cpu_time(self.pid)

    @property
    def peak_memory(self) -> int:
        """Peak resident bytes so far."""
        return peak_memory(self.pid)

    @property
    def logged_decisions(self) -> int | None:
        """Lines of the decision log; None for a subject that has none."""
        if not self.room.decision_log.exists():
            return None
        with self.room.decision_log.open("rb") as lines:
            return sum(1 for _ in lines)

    def stop(self) -> None:
        """End it."""
        self._process.stop(STOP_WITHIN)
