"""Steps for strings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Final

from admission.engine.decision import Reason
from admission.engine.document import Document
from admission.engine.fieldpath import FieldPath
from admission.engine.instant import LONGEST_TIME, parse_time
from admission.engine.licence import Licence
from admission.engine.schema import Schema
from admission.engine.steps.base import Effect
from admission.engine.values import Key, Trail, Value, quoted, text_of

DEFAULT_MARKER: Final = "… [statuscap: {bytes} bytes cut]"
BYTES: Final = "{bytes}"
MOST_DIGITS: Final = 10
"""Digits of the largest count that a marker may have to show (the loader makes room for them)."""

_QUANTITY: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[numkKMGTPE]i?|[eE][+-]?\d+)?", re.ASCII)
"""As k8s.io/apimachinery/pkg/api/resource reads them; plain numbers too."""

_QUOTES: Final = 2
_MOST_LOST: Final = 3  # bytes of the room that stay empty because a code point (at most 4) does not fit
_CONTINUATION_MASK, _CONTINUATION = 0xC0, 0x80


class KeepPart(StrEnum):
    """Which part of a long text stays."""

    HEAD = "Head"
    TAIL = "Tail"
    HEAD_AND_TAIL = "HeadAndTail"


@dataclass(frozen=True, slots=True)
class Truncate:
    """Cuts strings that are longer than ``max_bytes`` (UTF-8, marker included), between two code points.

    The marker stands where text was cut and says how many bytes are gone. Never cut: a condition's ``type``,
    ``status``, ``reason`` and ``observedGeneration``; times and quantities; what tells the items of a list apart (the
    keys of a keyed list, the items of a set, as ``managedFields`` tell).
    """

    kind: ClassVar[str] = "truncate"

    paths: tuple[FieldPath, ...]
    max_bytes: int
    keep: KeepPart = KeepPart.HEAD
    marker: str = DEFAULT_MARKER

    @property
    def licence(self) -> Licence:
        """The strings are cut."""
        return Licence(cutting=self.paths)

    def apply(self, document: Document, now: int) -> Effect:
        """Cut every string that the paths lead to."""
        effect = Effect()
        for path in self.paths:
            for trail, container, key in document.places(path, at_least=self.max_bytes + _QUOTES + 1):
                effect.found = True
                document.led_to_something(path)
                value: Value = container[key]  # type: ignore[index]
                made = document.text_size(value)
                if made is not None and made <= self.max_bytes:
                    continue  # what was cut in an earlier round, seen without decoding
                text = text_of(value)
                if text is None or not self._may_cut(document, trail, key, text):
                    continue
                if document.co_owned((*trail, key)):
                    effect.reason = Reason.CO_OWNED
                    continue
                short = self._as_short_as_may_be(document.demands((*trail, key)), text)
                if short is None:
                    effect.reason = Reason.SCHEMA_REQUIRES
                    continue
                effect.items += 1
                cut = quoted(short)
                document.note_text_size(cut, len(short.encode()))
                effect.bytes += document.replace(trail, container, key, cut)
        effect.found = effect.found or any(map(document.leads_anywhere, self.paths))
        return effect

    def _may_cut(self, document: Document, trail: Trail, key: Key, text: str) -> bool:
        """False for what is short enough, or means something else when it is cut."""
        if len(text.encode()) <= self.max_bytes or document.licence.protects((*trail, key)):
            return False
        return not is_exact(text) and not document.names_an_item(trail, key)

    def _as_short_as_may_be(self, demands: Schema | None, text: str) -> str | None:
        """The cut text, as long as the schema demands (``minLength``); None when it must not be cut."""
        if demands is None:
            return self.cut(text.encode())
        if demands.text.is_exact:
            return None
        most, sent = self.max_bytes, text.encode()
        while most < len(sent):
            short = self.cut(sent, most)
            missing = demands.text.min_length - len(short)
            if missing <= 0:
                return short
            most += missing  # a code point takes a byte at least: never too much
        return None

    def cut(self, text: bytes, most: int | None = None) -> str:
        """The text with the largest room in which what is kept and the marker fit into ``most`` (``max_bytes``)."""
        most = self.max_bytes if most is None else most
        fixed = len(self.marker.replace(BYTES, "").encode())
        fewest_digits = len(str(len(text) - most + fixed))
        room = most - fixed - fewest_digits * self.marker.count(BYTES)
        if self.keep is KeepPart.HEAD_AND_TAIL:
            room += _MOST_LOST
        while True:
            head, tail = self._ends(text, max(room, 0))
            marker = self.marker.replace(BYTES, str(len(text) - len(head) - len(tail))).encode()
            if len(head) + len(marker) + len(tail) <= most or room <= 0:
                return (head + marker + tail).decode()
            room -= 1

    def _ends(self, text: bytes, room: int) -> tuple[bytes, bytes]:
        match self.keep:
            case KeepPart.HEAD:
                return head_of(text, room), b""
            case KeepPart.TAIL:
                return b"", tail_of(text, room)
            case KeepPart.HEAD_AND_TAIL:
                head = head_of(text, (room + 1) // 2)
                return head, tail_of(text, room - len(head))


def is_exact(text: str) -> bool:
    """True for a time or a quantity: cut, it is another one or none."""
    return len(text) <= LONGEST_TIME and (parse_time(text) is not None or _QUANTITY.fullmatch(text) is not None)


def head_of(text: bytes, room: int) -> bytes:
    """The longest start of UTF-8 ``text`` of at most ``room`` bytes that ends between two code points."""
    end = min(room, len(text))
    while 0 < end < len(text) and text[end] & _CONTINUATION_MASK == _CONTINUATION:
        end -= 1
    return text[:end]


def tail_of(text: bytes, room: int) -> bytes:
    """The longest end of UTF-8 ``text`` of at most ``room`` bytes that starts between two code points."""
    start = max(len(text) - room, 0)
    while start < len(text) and text[start] & _CONTINUATION_MASK == _CONTINUATION:
        start += 1
    return text[start:]
