"""What the demo says to try fits the terminal that it is read in; that it works is tested with real servers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.demo.advice import lines, trials
from tests.demo.command import MODES, without_group

FOLDER = Path("/tmp/statuscap-demo-12345678")  # only its length matters


def printed(mode: str) -> list[str]:
    return [text for text, _ in lines(FOLDER, FOLDER / "controlplane" / "kubeconfig", trials(mode))]


@pytest.mark.parametrize("mode", MODES)
def test_no_line_is_wider_than_80_columns(mode: str) -> None:
    assert [line for line in printed(mode) if len(line) > 80] == []


def test_a_command_that_goes_on_over_lines_is_still_one_for_a_shell() -> None:
    script = "\n".join(line.strip() for line in printed("Enforce")[2:])
    assert "\\\n" in script
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        pytest.param(
            "mutatingwebhookconfiguration.admissionregistration.k8s.io/zz-statuscap created",
            "mutatingwebhookconfiguration zz-statuscap created",
            id="an object of a group",
        ),
        pytest.param("configmap/a.b/c created", "configmap/a.b/c created", id="none"),
    ],
)
def test_kubectls_words_are_shown_without_the_group(said: str, shown: str) -> None:
    assert without_group(said) == shown
