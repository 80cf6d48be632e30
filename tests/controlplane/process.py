"""One server process: started so that it cannot outlive us, its output in a file, stopped by its own pid."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

LAUNCHER = Path(__file__).with_name("launch.py")

# The kernel sends the death signal when the *thread* that forked ends (prctl(2)), not the process. So one thread that
# lives as long as this process does all the forking, and a server started from a short-lived thread stays up.
_FORKER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="controlplane-forker")


class ServerProcess:
    """A running child. ``log`` gets stdout and stderr, appended; ``core`` is the only one it may use, None: any."""

    def __init__(self, command: Sequence[str], log: Path, core: int | None = None) -> None:
        self.log = log
        self._child = _FORKER.submit(_launch, command, log, core).result()

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def exit_code(self) -> int | None:
        """The exit code, None while it runs; negative: the signal that ended it."""
        return self._child.poll()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal, for instance SIGSTOP to play a hung server; nothing happens when it has ended."""
        self._child.send_signal(number)

    def stop(self, within: float) -> None:
        """End it with SIGTERM, and with SIGKILL when it is still there after ``within`` seconds."""
        self._child.terminate()
        try:
            self._child.wait(within)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """End it with SIGKILL, as a crash would."""
        self._child.kill()
        self._child.wait()


def _launch(command: Sequence[str], log: Path, core: int | None) -> subprocess.Popen[bytes]:
    """Start the command in a process group of its own: Ctrl-C in a terminal is for us, who stop it in order."""
    with log.open("ab") as output:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", LAUNCHER, str(os.getpid()), "any" if core is None else str(core), *command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            process_group=0,
        )
