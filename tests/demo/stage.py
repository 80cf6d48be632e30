"""What the demo brings up, all below one temporary folder: etcd and kube-apiserver, then statuscap in front of them."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.controlplane.build import Binaries
from tests.controlplane.servers import ControlPlane
from tests.demo.failure import DemoError
from tests.demo.kinds import KINDS
from tests.e2e.product import COMMAND, Statuscap

ANSWER_WITHIN = 60.0  # seconds for one command; each takes about one


class Stage:
    """The servers and statuscap, as a context manager that leaves nothing behind.

    ``folder`` holds everything: the kubeconfig, the decision log, the registration as ``webhook.yaml``, ``env`` for a
    shell.
    """

    def __init__(self, binaries: Binaries, kubectl: Path, mode: str) -> None:
        self.kubectl = kubectl
        self.folder = Path(tempfile.mkdtemp(prefix="statuscap-demo-"))
        self.presets = [f"preset:{kind.preset}" for kind in KINDS]
        self.plane = ControlPlane(binaries, folder=self.folder / "controlplane")
        self.product = Statuscap(self.presets, mode=mode, folder=self.folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop statuscap, kube-apiserver and etcd, each by its own process id, and remove the folder."""
        self.product.stop()
        self.plane.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def kubeconfig(self) -> Path:
        return self.plane.kubeconfig

    @property
    def environment(self) -> dict[str, str]:
        """What kubectl needs, and where the folder is. kubectl's cache goes with the folder."""
        cache = self.folder / "kubectl-cache"
        return {"KUBECONFIG": str(self.kubeconfig), "KUBECACHEDIR": str(cache), "DEMO": str(self.folder)}

    def write_environment(self) -> Path:
        """Write ``env``, to be sourced by a shell that shall find kubectl, statuscap and the API server."""
        tools = dict.fromkeys([str(self.kubectl.parent), str(Path(sys.executable).parent)])
        lines = [f"export {name}={shlex.quote(value)}" for name, value in self.environment.items()]
        path = self.folder / "env"
        path.write_text("\n".join([*lines, f'export PATH={shlex.quote(os.pathsep.join(tools))}:"$PATH"', ""]))
        return path

    def register(self) -> str:
        """Register statuscap as a person would, its manifests piped into ``kubectl apply``; returns kubectl's words."""
        manifests = run([*COMMAND, "manifests", *self.manifest_flags()])
        (self.folder / "webhook.yaml").write_text(manifests)
        return run([str(self.kubectl), "apply", "-f", "-"], stdin=manifests, environment=self.environment)

    def manifest_flags(self) -> list[str]:
        policies = [part for preset in self.presets for part in ("-p", preset)]
        return [*policies, "--only", "webhook", "--url", self.product.url, "--ca-file", str(self.product.ca_path)]

    def ended(self) -> str:
        """Return which server has ended by itself, empty while all run."""
        running = {*self.plane.pids, *(["statuscap"] if self.product.exit_code is None else [])}
        return ", ".join(sorted({"etcd", "kube-apiserver", "statuscap"} - running))


def run(command: Sequence[str], *, stdin: str = "", environment: Mapping[str, str] | None = None) -> str:
    """Run a command and return what it prints; raises ``DemoError`` with what it complains about."""
    try:
        done = subprocess.run(
            command,
            input=stdin,
            env={**os.environ, **(environment or {})},
            capture_output=True,
            text=True,
            timeout=ANSWER_WITHIN,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise DemoError(f"{title(command)} did not end within {ANSWER_WITHIN:.0f} s") from error
    if done.returncode != 0:
        raise DemoError(f"{title(command)} ended with exit code {done.returncode}:\n{done.stderr.strip()}")
    return done.stdout


def title(command: Sequence[str]) -> str:
    """Return a command as people call it: ``statuscap manifests``, ``kubectl apply``."""
    own = tuple(command[: len(COMMAND)]) == COMMAND
    words = ["statuscap", *command[len(COMMAND) :]] if own else [Path(command[0]).name, *command[1:]]
    return " ".join(words[:2])
