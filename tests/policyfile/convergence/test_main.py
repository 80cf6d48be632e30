"""``python -m admission.policyfile.convergence`` judges; an import of it does nothing."""

import subprocess
import sys

from admission.engine.policy import PolicySet
from admission.policyfile.convergence.apart import packed, read_report


def test_the_module_judges() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "admission.policyfile.convergence"],
        input=packed(PolicySet.of([])),
        capture_output=True,
        check=True,
    )
    assert read_report(done.stdout).nonconverging == 0


def test_an_import_of_it_runs_nothing() -> None:
    script = "import admission.policyfile.convergence.__main__"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
