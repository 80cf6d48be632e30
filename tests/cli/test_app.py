"""Every command explains itself, and every error is one line that says what to do."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from admission.cli.app import build, run
from admission.cli.exits import Exit
from admission.settings.environment import TRACEBACK
from tests.cli.conftest import Command


def commands(group: Any, above: str = "") -> Iterator[tuple[str, Any]]:
    """Every command with its full name."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{above}{name} ")
        else:
            yield f"{above}{name}", command


COMMANDS = dict(commands(typer.main.get_command(build())))
EVERY = pytest.mark.parametrize("name", COMMANDS)


@EVERY
def test_every_command_and_every_flag_has_its_help(name: str) -> None:
    command = COMMANDS[name]
    assert command.help
    assert [each.name for each in command.params if not getattr(each, "help", None)] == []


@EVERY
def test_the_first_sentence_is_short_enough_for_the_list(name: str) -> None:
    """The list cuts a sentence of more than 45 characters short."""
    assert len(COMMANDS[name].help.partition("\n")[0]) <= 45


@EVERY
def test_every_command_but_serve_prints_json(command: Command, name: str) -> None:
    told = command(*name.split(" "), "--help").out
    assert name == "serve" or re.search(r"-o, --output <([a-z]+\|)*json(\|[a-z]+)*>", told)


@EVERY
def test_every_command_has_its_tests(name: str) -> None:
    file = Path(__file__).with_name(f"test_{name.split(' ', maxsplit=1)[0]}.py")
    assert file.exists()
    assert all(f'"{word}"' in file.read_text() for word in name.split(" "))


@EVERY
def test_help_is_printed(command: Command, name: str) -> None:
    result = command(*name.split(" "), "--help")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(f"Usage: statuscap {name}")


def test_without_a_command_the_list_is_printed(command: Command) -> None:
    result = command()
    assert result.code == 0
    assert all(name.split(" ")[0] in result.out for name in COMMANDS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["aply"], "statuscap: No such command 'aply'. Did you mean 'apply'? see statuscap --help"),
        (["version", "--nope"], "statuscap: No such option: --nope"),
        (["version", "-o", "xml"], "statuscap: Invalid value for '--output' / '-o': 'xml'"),
        (["test"], "statuscap: Missing argument 'PATH'; see statuscap test --help"),
        (["apply", "x"], "statuscap: Missing option '--policies' / '-p'; see statuscap apply --help"),
        (["presets"], "statuscap: Missing command; see statuscap presets --help"),
        (["check", "none"], "statuscap: none: cannot be read: No such file or directory"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(command: Command, arguments: list[str], message: str) -> None:
    result = command(*arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(message)
    assert result.err.count("\n") == 1


def broken() -> typer.Typer:
    """A command line whose one command has a fault."""
    app = typer.Typer(pretty_exceptions_enable=False)

    @app.command()
    def fail() -> None:
        raise RuntimeError("two\nlines")

    return app


def test_a_fault_of_ours_is_one_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TRACEBACK, raising=False)
    assert run(["--"], broken) == Exit.FAULT
    assert capsys.readouterr().err.startswith("statuscap: a fault of statuscap: RuntimeError(")


def test_a_fault_of_ours_has_a_traceback_for_a_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TRACEBACK, "1")
    with pytest.raises(RuntimeError):
        run(["--"], broken)


def process(*arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "admission", *arguments], capture_output=True, text=True, check=False, **more
    )


def test_the_exit_code_reaches_the_shell() -> None:
    assert process("test", "none").returncode == 2


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -m admission presets list -o json | head -c 1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""


@pytest.mark.parametrize("module", ["aiohttp", "rich.console", "jsonpatch", "cryptography", "yaml", "lightkube"])
def test_the_version_loads_only_what_it_needs(module: str) -> None:
    script = f"import sys; from admission.cli.app import run; run(['version']); sys.exit({module!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, check=False).returncode == 0


def test_run_returns_and_does_not_exit() -> None:
    assert run(["version", "--nope"]) == 2
