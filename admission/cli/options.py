"""Flags that several commands share, and what they mean."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from admission.engine.instant import parse_time
from admission.engine.policy import Mode

if TYPE_CHECKING:
    from admission.engine.policy import PolicySet

Policies: TypeAlias = Annotated[
    list[str],
    typer.Option(
        "--policies",
        "-p",
        metavar="PATH",
        help="A policy file, a directory, preset:NAME, or - for the standard input. May be given several times.",
    ),
]

InMode: TypeAlias = Annotated[
    Mode | None,
    typer.Option("--mode", help="Evaluate every policy but those that are Off as if in this mode.", show_default=False),
]


def load(sources: list[str]) -> PolicySet:
    """The policies of files, directories and presets.

    Raises:
        PolicyError: with every problem of every file.
    """
    from admission.policyfile.loader import load_policies

    return load_policies(sources, stdin=sys.stdin.buffer)


def time_or_now(text: str | None) -> int:
    """Nanoseconds since the epoch of an RFC 3339 time; without one, of this moment."""
    if text is None:
        return time.time_ns()
    moment = parse_time(text)
    if moment is None:
        raise typer.BadParameter(f"{text!r} is no time; write for example 2026-01-01T00:00:00Z", param_hint="--now")
    return moment
