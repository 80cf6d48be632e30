"""Reads what a flag or its twin says. The message of a ``ValueError`` names the text and says what to write."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from admission.engine.instant import SECOND, parse_duration
from admission.engine.policy import Mode
from admission.quantity import parse_bytes

_DIGITS: Final = re.compile("[0-9]{1,9}")
_SHARE: Final = re.compile("[0-9.eE+-]+")
_ONE_IN: Final = re.compile("1/([1-9][0-9]{0,8})")
_TRUE: Final = frozenset({"1", "true", "yes", "on"})
_FALSE: Final = frozenset({"0", "false", "no", "off"})


def read_path(text: str) -> Path | None:
    """A file or directory; None for no text."""
    return Path(text) if text else None


def whole_number(lowest: int, highest: int) -> Callable[[str], int]:
    """A reader of whole numbers in decimal digits, within bounds."""

    def parse(text: str) -> int:
        if not _DIGITS.fullmatch(text) or not lowest <= int(text) <= highest:
            raise ValueError(f"{text!r} is no whole number from {lowest} to {highest}")
        return int(text)

    return parse


def read_bound(text: str) -> int:
    """Bytes, or 0 for no bound."""
    return 0 if text == "0" else parse_bytes(text)


def read_switch(text: str) -> bool:
    """``true`` or ``false``, and their usual synonyms in any case."""
    word = text.strip().lower()
    if word not in _TRUE | _FALSE:
        raise ValueError(f"{text!r} is neither true nor false")
    return word in _TRUE


def read_seconds(text: str) -> float:
    """A duration as seconds."""
    duration = parse_duration(text)
    if duration is None:
        raise ValueError(f"{text!r} is no duration; write for example 10s or 1m30s")
    return duration / SECOND


def read_some_seconds(text: str) -> float:
    """A duration that is longer than nothing, as seconds."""
    seconds = read_seconds(text)
    if not seconds:
        raise ValueError(f"{text!r} leaves no time at all; write for example 10s or 1m30s")
    return seconds


def read_name(text: str) -> str:
    """Text that can be written to a log: what the system has as bytes that are no UTF-8 cannot."""
    if not text.isprintable():
        raise ValueError(f"{text!r} is no name; leave out what cannot be printed")
    return text


def read_share(text: str) -> float:
    """A number from 0 to 1, also as ``1/100``."""
    one_in = _ONE_IN.fullmatch(text)
    if one_in is not None:
        return 1 / int(one_in[1])
    try:
        share = float(text) if _SHARE.fullmatch(text) else -1.0
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise ValueError(f"{text!r} is no number from 0 to 1; write for example 0.01 or 1/100")
    return share


def read_mode(text: str) -> Mode | None:
    """A mode; None for no text."""
    try:
        return Mode(text) if text else None
    except ValueError:
        raise ValueError(f"{text!r} is no mode; use one of {', '.join(Mode)}") from None
