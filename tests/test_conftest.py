"""The suite's own signals: what a test starts is as if a person had started it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
CHILD = "import signal; print(signal.getsignal(signal.SIGHUP).name)"
UNDER_NOHUP = f"""
import os, signal, subprocess, sys
signal.signal(signal.SIGHUP, signal.SIG_IGN)
from tests.conftest import hear_hangups
hear_hangups()
os.kill(os.getpid(), signal.SIGHUP)
sys.exit(subprocess.run([sys.executable, "-c", {CHILD!r}]).returncode)
"""


def test_a_run_under_nohup_outlives_a_hangup_and_what_it_starts_hears_it() -> None:
    done = subprocess.run(
        [sys.executable, "-c", UNDER_NOHUP], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "SIG_DFL\n", "")
