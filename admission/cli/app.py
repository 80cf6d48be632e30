"""All commands put together, and how their errors reach the user: one line, no traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Final

import typer

from admission.cli.apply import apply
from admission.cli.certs import certs
from admission.cli.check import check
from admission.cli.exits import Exit
from admission.cli.explain import explain
from admission.cli.manifests import manifests
from admission.cli.presets import presets
from admission.cli.schema import schema
from admission.cli.serve import serve
from admission.cli.test import suites
from admission.cli.version import version
from admission.errors import PolicyError, SettingsError, StatuscapError
from admission.settings.environment import TRACEBACK

PROGRAM: Final = "statuscap"

_COMMANDS: Final[Mapping[str, Callable[..., int]]] = {
    "serve": serve,
    "apply": apply,
    "test": suites,
    "check": check,
    "manifests": manifests,
    "schema": schema,
    "explain": explain,
    "version": version,
}
_PREFIX: Final = "Value error, "
"""What a library of typer's puts before a message of its own."""

_CALL_ERROR: Final[type[Exception]] = typer.BadParameter.__mro__[2]
"""What typer raises when a command line cannot be read; where it lives differs between its versions."""


def build() -> typer.Typer:
    """The command line."""
    app = typer.Typer(
        help="Keeps the status of custom resources small. Try: statuscap presets list",
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    )
    app.callback()(_options)
    for name, command in _COMMANDS.items():
        app.command(name)(command)
    app.add_typer(presets)
    app.add_typer(certs)
    return app


def _tell_version(wanted: bool) -> None:
    if wanted:
        version()
        raise typer.Exit


def _options(
    version: Annotated[  # told before any command is looked for
        bool,
        typer.Option("--version", callback=_tell_version, is_eager=True, help="Print the versions and exit."),
    ] = False,
) -> None:
    return


def run(arguments: Sequence[str], build: Callable[[], typer.Typer] = build) -> int:
    """Run a command line; returns the exit code. Errors are printed to the standard error output."""
    command = typer.main.get_command(build())
    try:
        code = int(command.main([*arguments] or ["--help"], PROGRAM, standalone_mode=False) or Exit.OK)
        sys.stdout.flush()
        return code
    except typer.Exit as ended:
        return ended.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return Exit.INTERRUPTED
    except Exception as error:
        if os.environ.get(TRACEBACK) and not isinstance(error, StatuscapError | _CALL_ERROR | BrokenPipeError):
            raise
        return _ended_by(error)


def _ended_by(error: Exception) -> int:
    match error:
        case BrokenPipeError():
            _forget_stdout()
            return Exit.OK
        case OSError(filename=None, strerror=reason):  # of a file that is read, the name would be known
            _forget_stdout()
            return _told(f"the standard output cannot be written: {reason}", Exit.FINDINGS)
        case PolicyError(problems=problems) if problems:
            _say(str(error))  # a line each, as editors expect them
            return Exit.USAGE
        case StatuscapError():
            for message in error.problems if isinstance(error, SettingsError) else [str(error)]:
                _told(message, Exit.USAGE)
            return Exit.USAGE
        case _ if isinstance(error, _CALL_ERROR):
            return _told(_call_message(error), Exit.USAGE)
        case _:
            return _told(f"a fault of {PROGRAM}: {error!r}; set {TRACEBACK}=1 for a traceback to report", Exit.FAULT)


def _told(message: str, code: Exit) -> Exit:
    """One line for an error."""
    _say(f"{PROGRAM}: {' '.join(message.split())}")
    return code


def _say(text: str) -> None:
    with suppress(OSError):  # the exit code still tells
        sys.stderr.write(f"{text}\n")


def _call_message(error: Exception) -> str:
    """What is wrong with the command line, and where to read about it."""
    context = getattr(error, "ctx", None)
    where = getattr(context, "command_path", PROGRAM)
    format_message: Callable[[], str] = getattr(error, "format_message", error.__str__)
    message = format_message().replace(_PREFIX, "").rstrip(".")
    return f"{message}{'' if message.endswith('?') else ';'} see {where} --help"


def _forget_stdout() -> None:
    """What is left cannot be written (``| head``, a full disk): let the interpreter's last flush go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
