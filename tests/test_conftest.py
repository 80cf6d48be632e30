"""The suite's own signals: what a test starts is as if a person had started it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CHILD = "import signal; print(signal.getsignal(signal.{name}) is signal.SIG_IGN)"
IGNORING = """
import os, signal, subprocess, sys
signal.signal(signal.{name}, signal.SIG_IGN)
from tests.conftest import hear_signals
hear_signals()
os.kill(os.getpid(), signal.{name})
sys.exit(subprocess.run([sys.executable, "-c", {child!r}]).returncode)
"""


@pytest.mark.parametrize(
    "name",
    [pytest.param("SIGHUP", id="under nohup"), pytest.param("SIGINT", id="in the background of a shell")],
)
def test_a_run_outlives_a_signal_that_it_was_told_to_ignore_and_what_it_starts_hears_it(name: str) -> None:
    script = IGNORING.format(name=name, child=CHILD.format(name=name))
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "False\n", "")
