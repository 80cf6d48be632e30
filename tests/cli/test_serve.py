"""``statuscap serve``: its flags are the settings."""

import subprocess
import sys
from pathlib import Path

import pytest

from admission.settings import FLAGS
from tests.cli.conftest import Command


def test_every_setting_is_a_flag_with_its_twin(command: Command) -> None:
    told = " ".join(command("serve", "--help").out.split())
    for flag in FLAGS:
        assert flag.name in told
        assert f"env {flag.environment}" in told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dev"], "no policies: give a file, a directory or preset:NAME with --policies"),
        (["-p", "p.yaml"], "no certificate: give both --tls-cert and --tls-key, or --dev"),
        (["-p", "p.yaml", "--dev", "--port", "x"], "--port (STATUSCAP_PORT): 'x' is no whole number"),
        (["-p", "p.yaml", "--dev", "--mode", "Enfrce"], "is no mode; use one of Enforce"),
    ],
)
def test_a_setting_that_cannot_be_used_is_told(command: Command, arguments: list[str], message: str) -> None:
    result = command("serve", *arguments)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert result.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "starts"),
    [
        ([], ["no policies: ", "no certificate: "]),
        (
            ["-p", "p.yaml", "--dev", "--drain", "5", "--max-body", "3x"],
            ["--drain (STATUSCAP_DRAIN): '5'", '--max-body (STATUSCAP_MAX_BODY): "3x"'],
        ),
        (
            ["-p", "p.yaml", "--tls-cert", "none.crt", "--tls-key", "none.key"],
            [
                "--tls-cert (STATUSCAP_TLS_CERT): none.crt: cannot be read: No such file or directory",
                "--tls-key (STATUSCAP_TLS_KEY): none.key: cannot be read: No such file or directory",
            ],
        ),
        (["--port", "x"], ["--port (STATUSCAP_PORT): 'x'", "no policies: ", "no certificate: "]),
    ],
)
def test_everything_that_is_wrong_is_told(command: Command, arguments: list[str], starts: list[str]) -> None:
    result = command("serve", *arguments)
    assert (result.code, result.out) == (2, "")
    told = result.err.splitlines()
    assert len(told) == len(starts)
    assert all(line.startswith(f"statuscap: {start}") for line, start in zip(told, starts, strict=True))


def test_a_misspelt_twin_is_refused_like_an_unknown_flag(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STATUSCAP_PORTT", "9443")
    result = command("serve", "-p", "p.yaml", "--dev")
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        "statuscap: 'STATUSCAP_PORTT' in the environment sets nothing; did you mean STATUSCAP_PORT?\n"
    )


@pytest.mark.parametrize("flag", [flag.name for flag in FLAGS if flag.metavar in ("PATH", "FILE", "DIRECTORY")])
def test_an_empty_path_is_told_in_one_line(command: Command, flag: str) -> None:
    result = command("serve", "-p", "p.yaml", "--dev", flag, "")
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    assert result.err.startswith(f"statuscap: {flag} (STATUSCAP_")
    assert ": is empty; name a " in result.err


def test_a_twin_in_the_environment_counts(command: Command, monkeypatch: pytest.MonkeyPatch, policy: Path) -> None:
    monkeypatch.setenv("STATUSCAP_POLICIES", str(policy))
    assert "no certificate" in command("serve").err


def test_a_cluster_that_nobody_knows_is_told_before_anything_is_served(
    command: Command, tmp_path: Path, policy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    result = command("serve", "-p", policy, "--dev", "--cert-dir", tmp_path, "--cluster")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("statuscap: nothing says where the API server is (Configuration file ")
    assert result.err.count("\n") == 1


def test_without_a_cluster_nothing_that_asks_one_is_loaded(policy: Path, tmp_path: Path) -> None:
    arguments = ["serve", "-p", str(policy), "--dev", "--cert-dir", str(tmp_path), "--decision-log", "/nowhere/x.log"]
    script = f"import sys; from admission.cli.app import run; run({arguments!r}); sys.exit('lightkube' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, check=False).returncode == 0
