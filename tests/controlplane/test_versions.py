"""On which kube-apiservers the tests run, and that none is passed over in silence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.controlplane.build import KUBE_APISERVER, MODULES
from tests.controlplane.versions import ALL, OPTION, UnknownVersionError, chosen, kube_apiservers

ROOT = Path(__file__).parents[2]
DEFAULT = KUBE_APISERVER.version
VERSIONS = [pin.version for pin in kube_apiservers()]
ON_A_SERVER = "tests/e2e/test_versions.py"


def run(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run pytest as a person would, in an environment of its own."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    environment = {**os.environ, "KUBEBUILDER_ASSETS": "", **environ}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_the_version_that_everything_runs_on_comes_first_and_the_others_from_old_to_new() -> None:
    assert VERSIONS == ["v1.36.3", "v1.30.14", "v1.37.2"]


@pytest.mark.parametrize(
    ("asked", "run"),
    [
        pytest.param([], [DEFAULT], id="nothing asked"),
        pytest.param(["v1.30.14"], ["v1.30.14"], id="one"),
        pytest.param(["v1.37.2", "v1.30.14", "v1.37.2"], ["v1.30.14", "v1.37.2"], id="several, one twice"),
        pytest.param([ALL], VERSIONS, id="all"),
        pytest.param(["v1.30.14", ALL], VERSIONS, id="all and one"),
    ],
)
def test_runs_on_what_is_asked_for(asked: list[str], run: list[str]) -> None:
    assert [pin.version for pin in chosen(asked)] == run


@pytest.mark.parametrize("asked", ["v1.30", "1.36.3", "v1.36.3 ", ""])
def test_names_the_versions_when_there_is_no_such(asked: str) -> None:
    with pytest.raises(UnknownVersionError, match=r"no such version; there are v1\.36\.3, .* and all"):
        chosen([asked])


@pytest.mark.parametrize("pin", kube_apiservers(), ids=VERSIONS)
def test_a_module_replaces_every_part_of_kubernetes_by_that_of_the_same_version(pin: object) -> None:
    """What k8s.io/kubernetes needs of itself it names as v0.0.0, which there is nowhere."""
    text = (MODULES / str(pin) / "go.mod").read_text()
    version = str(pin).removeprefix("kube-apiserver-v1.")
    replaced = {line.split()[0]: line.split()[-1] for line in text.splitlines() if "=>" in line}
    assert {*replaced.values()} == {f"v0.{version}"}
    needed = {words[0] for line in text.splitlines() if len(words := line.split()) > 1 and words[1] == "v0.0.0"}
    assert needed <= {*replaced}


def test_an_unknown_version_is_refused_before_anything_runs() -> None:
    done = run(OPTION, "v1.0.0")
    assert (done.returncode, done.stdout) == (pytest.ExitCode.USAGE_ERROR, "")
    assert "there are v1.36.3, v1.30.14, v1.37.2 and all" in done.stderr


def test_versions_are_refused_when_the_environment_names_the_server() -> None:
    done = run(OPTION, ALL, KUBEBUILDER_ASSETS="/nowhere")
    assert (done.returncode, done.stdout) == (pytest.ExitCode.USAGE_ERROR, "")
    assert "KUBEBUILDER_ASSETS names one server" in done.stderr


def test_every_test_that_meets_an_api_server_is_there_once_for_each_version() -> None:
    done = run("--collect-only", "-q", OPTION, ALL, "tests/e2e")
    lines = done.stdout.splitlines()
    counts = {version: sum(f"[{version}" in line for line in lines) for version in VERSIONS}
    assert len({*counts.values()}) == 1
    assert counts[DEFAULT] > 100


def test_a_version_that_cannot_be_built_fails_the_run_once_for_all_its_tests(tmp_path: Path) -> None:
    go = tmp_path / "bin" / "go"
    go.parent.mkdir()
    go.write_text(
        f"#!/bin/sh\nif [ \"$1\" = version ]; then echo 'go version go1.26.8 linux/amd64'; exit 0; fi\n"
        f"echo built >> {tmp_path}/builds; echo no space left; exit 1\n"
    )
    go.chmod(0o755)
    done = run(OPTION, "v1.30.14", ON_A_SERVER, XDG_CACHE_HOME=str(tmp_path), PATH=f"{go.parent}:{os.environ['PATH']}")
    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    assert "go build of kube-apiserver-v1.30.14 failed with exit code 1:\nE" in done.stdout
    assert (tmp_path / "builds").read_text().splitlines() == ["built"]
    assert " errors in " in done.stdout.splitlines()[-1]
    assert "passed" not in done.stdout.splitlines()[-1]
