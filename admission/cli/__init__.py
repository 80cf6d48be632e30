"""The command ``statuscap``: one thin module a command, no decision of its own.

A command reads its flags, asks the rooms below, prints, and returns an :class:`~admission.cli.exits.Exit`. What only
some commands need is imported inside them: ``statuscap version`` does not load the server.
"""

from __future__ import annotations

import sys
from typing import NoReturn

__all__ = ["main"]


def main() -> NoReturn:
    """Run the command line with the process's arguments, and exit."""
    from admission.cli.exits import Exit

    try:
        code = _run()
    except KeyboardInterrupt:  # before there was anybody to take it: imports are most of a short command
        code = Exit.INTERRUPTED
    sys.exit(code)


def _run() -> int:
    from admission.cli.app import run
    from admission.cli.streams import finish, prepare

    prepare()
    code = run(sys.argv[1:])
    finish()
    return code
