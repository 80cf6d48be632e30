"""What the exit code of a command says; scripts rely on it."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """Named exit codes."""

    OK = 0
    FINDINGS = 1
    """The command did its work and found something: a failed case, a problem in a file, a write left unevaluated."""
    USAGE = 2
    """The command line or a file that it names cannot be used."""
    REJECTED = 3
    """A write was rejected."""
    FAULT = 70
    """A fault of ours (EX_SOFTWARE of sysexits.h)."""
    INTERRUPTED = 130
    """Ctrl-C (128 + SIGINT)."""
