"""The command line on a terminal, in a process of its own."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import threading
from dataclasses import dataclass

_STYLE = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True, slots=True)
class Seen:
    """What the terminal got, and the exit code."""

    text: str
    code: int

    @property
    def lines(self) -> list[str]:
        """The lines without their styles."""
        return _STYLE.sub("", self.text).replace("\r\n", "\n").splitlines()


def on_terminal(columns: int, *arguments: object, **environment: str) -> Seen:
    """Run ``statuscap ARGUMENTS…`` on a terminal of that width."""
    variables = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm-256color"}
    for name in ("NO_COLOR", "FORCE_COLOR"):
        variables.pop(name, None)
    master, slave = pty.openpty()
    chunks: list[bytes] = []
    reader = threading.Thread(target=_read_all, args=(master, chunks))
    reader.start()
    try:
        code = subprocess.run(
            [sys.executable, "-m", "admission", *map(str, arguments)],
            stdout=slave,
            env=variables | environment,
            check=False,
            timeout=60,
        ).returncode
    finally:
        os.close(slave)
        reader.join()
        os.close(master)
    return Seen(b"".join(chunks).decode(), code)


def _read_all(descriptor: int, chunks: list[bytes]) -> None:
    while True:
        try:
            chunk = os.read(descriptor, 65536)
        except OSError:  # Linux: the other end is closed
            return
        if not chunk:
            return
        chunks.append(chunk)
