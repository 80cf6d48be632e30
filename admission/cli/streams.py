"""The standard streams, made fit to use before anything else happens."""

from __future__ import annotations

import codecs
import io
import os
import sys
from typing import Final, TextIO

_ASCII: Final = str.maketrans({"→": "->", "−": "-", "–": "-", "…": "...", "✓": "ok", "✗": "FAILED", "×": "x", "’": "'"})
_PLAIN: Final = "statuscap-plain"


def prepare() -> None:
    """Open what is closed on ``/dev/null``, and let the standard output print any text in any encoding.

    A closed stream (``2>&-``) leaves its number to the next file or socket that is opened, which would then get
    whatever some library writes to "the standard error output".
    """
    _open_closed()
    codecs.register_error(_PLAIN, _plain)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_PLAIN)


def finish() -> None:
    """Write out what is left for the error output; when nobody takes it, let go of it.

    The interpreter would try again at its end, and exit with 120 whatever the command's own code was.
    """
    try:
        sys.stderr.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def _open_closed() -> None:
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: this one
    sys.stdin = _usable(sys.stdin, 0)
    sys.stdout = _usable(sys.stdout, 1)
    sys.stderr = _usable(sys.stderr, 2)


def _usable(stream: TextIO | None, number: int) -> TextIO:
    """The stream that Python has, or a new one where it found the descriptor closed."""
    return stream if stream is not None else open(number, "w" if number else "r", encoding="utf-8", closefd=False)


def _plain(error: UnicodeError) -> tuple[str, int]:
    """What an encoding lacks, in ASCII: our own signs by ones that look like them, others by their number."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(_ASCII)
    return text.encode("ascii", "backslashreplace").decode(), error.end
