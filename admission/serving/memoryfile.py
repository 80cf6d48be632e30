"""Files that are in memory alone, for what only reads files: keys are never on a disk, and a tree may be read-only."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def memory_file(content: bytes) -> Iterator[Path]:
    """A file with this content, until the block ends.

    It has no name but that of our descriptor, which nobody else can open. Where the system knows no such files, it is a
    temporary one that only its owner can read.
    """
    if not hasattr(os, "memfd_create"):  # pragma: no cover  # not Linux
        with tempfile.NamedTemporaryFile() as file:
            file.write(content)
            file.flush()
            yield Path(file.name)
        return
    with os.fdopen(os.memfd_create("statuscap", os.MFD_CLOEXEC), "wb") as file:
        file.write(content)
        file.flush()
        yield Path(f"/proc/self/fd/{file.fileno()}")
