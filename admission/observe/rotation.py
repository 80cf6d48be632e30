"""When a log file gives way to a new one, what it is called then, and how long it is kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Final

from admission.engine.instant import HOUR, SECOND

_STAMP: Final = "%Y%m%dT%H%M%SZ"
_STAMP_FORM: Final = "([0-9]{8}T[0-9]{6}Z)"


@dataclass(frozen=True, slots=True)
class Rotation:
    """The bounds of a log file and of those that it leaves behind. Sizes are bytes, times nanoseconds; 0 is no bound.

    ``max_total`` bounds the file and the rotated ones together.
    """

    max_size: int = 0
    max_age: int = 0
    retention: int = 0
    max_total: int = 0

    def due(self, size: int, more: int, age: int) -> bool:
        """True when a file should be rotated before ``more`` bytes are written to it. An empty one never is."""
        if not size:
            return False
        return bool((self.max_size and size + more > self.max_size) or (self.max_age and age >= self.max_age))

    def outlived(self, rotated: Sequence[Rotated], size: int, now: int) -> Iterator[Path]:
        """Those of the rotated files that are to go, beside a file of ``size`` bytes: too old, or too much."""
        room = self.max_total - max(size, self.max_size)  # the file may get as large before anybody looks again
        for each in sorted(rotated, key=lambda one: one.at, reverse=True):
            room -= each.size
            too_old = self.retention and now - each.at > self.retention
            if too_old or (self.max_total and room < 0):
                yield each.path


@dataclass(frozen=True, slots=True)
class Rotated:
    """A file that was rotated: when (nanoseconds since the epoch, whole seconds), and its bytes."""

    path: Path
    at: int
    size: int


def free_name(path: Path, rotated: Sequence[Rotated], now: int) -> Path:
    """What ``path`` is called when it is rotated, beside what was: ``decisions-20260203T040000Z.jsonl``.

    Names sort by time: after several in a second, or with a clock that was set back a little, it is the second after
    the last.
    """
    last = max((each.at for each in rotated if each.at < now + HOUR), default=0)
    names = (_name(path, max(now, last + SECOND) // SECOND + later) for later in count())
    return next(name for name in names if not name.exists())


def rotated_files(path: Path) -> list[Rotated]:
    """The files that ``path`` left behind, and no others.

    Raises:
        OSError: the directory cannot be read.
    """
    form = re.compile(f"{re.escape(path.stem)}-{_STAMP_FORM}{re.escape(path.suffix)}")
    found = []
    for each in path.parent.iterdir():
        match = form.fullmatch(each.name)
        at = _time(match[1]) if match else None
        if at is not None and each.is_file() and not each.is_symlink():
            found.append(Rotated(each, at, each.stat().st_size))
    return found


def _name(path: Path, second: int) -> Path:
    return path.with_name(f"{path.stem}-{datetime.fromtimestamp(second, UTC):{_STAMP}}{path.suffix}")


def _time(stamp: str) -> int | None:
    try:
        return int(datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC).timestamp()) * SECOND
    except ValueError:  # digits that are no date
        return None
