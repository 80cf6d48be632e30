"""``statuscap version``."""

from __future__ import annotations

import platform
from enum import StrEnum
from typing import Annotated

import typer

from admission import __version__
from admission.cli.exits import Exit


class Format(StrEnum):
    """How the version is printed."""

    TEXT = "text"
    JSON = "json"


def version(
    output: Annotated[Format, typer.Option("--output", "-o", help="How to print it.")] = Format.TEXT,
) -> Exit:
    """Print the versions of statuscap and Python."""
    import json

    told = {"statuscap": __version__, "python": platform.python_version()}
    typer.echo(
        json.dumps(told) if output is Format.JSON else f"statuscap {told['statuscap']} (Python {told['python']})"
    )
    return Exit.OK
