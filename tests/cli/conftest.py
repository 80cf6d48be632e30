"""The command line, run in this process as a user runs it."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest

from admission.cli.app import run
from tests.offline.samples import POLICY, WIDGET, bent, written


@dataclass(frozen=True, slots=True)
class Result:
    """What a command left behind."""

    code: int
    out: str
    err: str


Command: TypeAlias = Callable[..., Result]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs ``statuscap ARGUMENTS…``, with bytes on its standard input."""
    for name in ("FORCE_COLOR", "NO_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)

    def call(*arguments: object, stdin: bytes = b"") -> Result:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return call


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """A policy that enforces two conditions."""
    return written(tmp_path, "policy.yaml", POLICY)


@pytest.fixture
def dry(tmp_path: Path) -> Path:
    """The same policy, that only says what it would do."""
    return written(tmp_path, "dry.yaml", bent(POLICY, "spec", "mode", to="DryRun"))


@pytest.fixture
def widget(tmp_path: Path) -> Path:
    """An object with one condition too many."""
    return written(tmp_path, "widget.json", WIDGET)


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever terminal the suite runs in, one that knows colours (a pipe has none all the same)."""
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
