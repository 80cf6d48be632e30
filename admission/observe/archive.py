"""The archive: lines of the decision log with what was removed, so that nothing is silently lost.

What was removed is found and written in the thread of the log, not beside an answer; until then the bytes of the review
are kept, and of those only so many.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence
from typing import Final

import msgspec
from msgspec import UNSET, Raw
from msgspec.structs import replace

from admission.engine.attributes import Attributes
from admission.engine.decision import Op
from admission.engine.undo import undo_of
from admission.observe.entry import Entry, RemovedEntry, write

MOST_WAITING: Final = 32 * 1024 * 1024
"""Bytes of reviews that may wait to be archived: what the lines of an ordinary second come to, many times over."""

_COMMA: Final = len(",")
_BREAKS: Final = (b"\n", b"\r")


class Archive:
    """Makes lines that hold what was removed.

    ``max_line`` is the most bytes of a line; what does not fit is left out, the line says how much, and
    ``on_left_out`` is told of the line. ``on_fault`` is told of an exception, for which all of it is left out. Both
    are called from the log's thread.
    """

    def __init__(
        self,
        *,
        max_line: int,
        max_waiting: int = MOST_WAITING,
        on_left_out: Callable[[], None] = lambda: None,
        on_fault: Callable[[Exception], None] = lambda error: None,
    ) -> None:
        self._max_line = max_line
        self._max_waiting = max_waiting
        self._on_left_out = on_left_out
        self._on_fault = on_fault
        # two sums instead of a difference: each is written by one thread only
        self._taken = 0
        self._made = 0

    @property
    def waiting(self) -> int:
        """Bytes of reviews whose lines are still to be made."""
        return self._taken - self._made

    def line(self, entry: Entry, attributes: Attributes, patch: Sequence[Op]) -> Callable[[], bytes]:
        """What makes the line, when it is its turn. It must be called, and once."""
        submitted = attributes.submitted
        # the bytes of the stored object come in the same body
        weight = len(submitted) + len(attributes.stored or b"")
        if self.waiting and self.waiting + weight > self._max_waiting:
            return lambda: self._without(entry, len(patch))
        self._taken += weight

        def make() -> bytes:
            try:
                return self._whole(entry, submitted, patch)
            except Exception as error:  # the line itself is not lost
                self._on_fault(error)
                return self._without(entry, len(patch))
            finally:
                self._made += weight

        return make

    def _whole(self, entry: Entry, submitted: Raw, patch: Sequence[Op]) -> bytes:
        undo = undo_of(submitted, patch)
        removed = _fitting([_entry(each) for each in undo], self._max_line - len(write(entry)))
        left_out = len(undo) - len(removed)
        if left_out:
            self._on_left_out()
        return write(replace(entry, removed=removed, removed_left_out=left_out or UNSET))

    def _without(self, entry: Entry, left_out: int) -> bytes:
        self._on_left_out()
        return write(replace(entry, removed=(), removed_left_out=left_out))


def _entry(operation: Op) -> RemovedEntry:
    value = operation.value
    if value is None:
        return RemovedEntry(operation.op, operation.path)
    if not _is_utf8(value):
        return RemovedEntry(operation.op, operation.path, value_base64=b64encode(value).decode())
    if any(each in value for each in _BREAKS):  # between tokens: a line is one line
        value = msgspec.json.format(value, indent=-1)
    return RemovedEntry(operation.op, operation.path, Raw(value))


def _is_utf8(value: bytes) -> bool:
    """False for bytes that a reader of the log must never meet; in a review nobody has looked at all of them."""
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def _fitting(removed: Sequence[RemovedEntry], room: int) -> tuple[RemovedEntry, ...]:
    """Those that fit, in their order."""
    fitting = []
    left = room - len('"removed":[],"removedLeftOut":0123456789,')
    for each in removed:
        size = len(msgspec.json.encode(each)) + _COMMA
        if size <= left:
            fitting.append(each)
            left -= size
    return tuple(fitting)
