"""Instants and durations as whole nanoseconds.

Real data holds RFC 3339 times with fractions of any length, offsets with and without a colon, no zone at all, and
``0001-01-01T00:00:00Z`` or ``""`` for "unset". Times are only ever compared, never rewritten.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Final

NANOSECOND: Final = 1
SECOND: Final = 1_000_000_000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR

CLOCK_SKEW: Final = 5 * MINUTE
"""A time further than this after "now" tells nothing about an age (a writer with a wrong clock)."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_RFC3339: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:[.,](\d{1,30}))?(?:([Zz])|([+-])(\d\d):?(\d\d))?", re.ASCII
)
_DATE_TIME: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,30})?(?:Z|[+-]\d\d:\d\d)", re.ASCII
)
_ZONE: Final = re.compile(r"(?:[Zz]|[+-]\d\d:?\d\d)\Z", re.ASCII)
_LONGEST_ZONE: Final = len("+00:00")
LONGEST_TIME: Final = 64  # 30 digits of fraction and a zone are 56 characters
_UNSET_YEAR: Final = "0001-"
_WHOLE_SECONDS_UTC: Final = len("2026-01-01T00:00:00Z")

_UNITS: Final = {
    "ns": NANOSECOND,
    "us": 1_000,
    "µs": 1_000,  # micro sign
    "μs": 1_000,  # Greek mu, which Go accepts too
    "ms": 1_000_000,
    "s": SECOND,
    "m": MINUTE,
    "h": HOUR,
    "d": DAY,
}
_DURATION_PART: Final = re.compile(r"(\d{1,18}(?:\.\d{0,18})?|\.\d{1,18})(ns|us|µs|μs|ms|s|m|h|d)", re.ASCII)


def parse_time(text: str) -> int | None:
    """Nanoseconds since the epoch, or None when the text is no known time.

    ``0001-…`` is how Go writes an unset time: unknown. A time without a zone counts as UTC.
    """
    return known_time(text) if len(text) <= LONGEST_TIME else None


def parse_zoned_time(text: str) -> int | None:
    """:func:`parse_time` of a text that names its zone; without one the time may be half a day off."""
    return parse_time(text) if _ZONE.search(text, max(0, len(text) - _LONGEST_ZONE)) else None


@lru_cache(maxsize=4096)  # a controller sends the same times again and again
def known_time(text: str) -> int | None:
    """:func:`parse_time` of a text of at most :data:`LONGEST_TIME` characters, remembered."""
    if len(text) == _WHOLE_SECONDS_UTC and text[-1] == "Z" and text[10] == "T":
        return _whole_seconds(text)
    match = _RFC3339.fullmatch(text)
    if match is None or text.startswith(_UNSET_YEAR):
        return None
    day, clock, fraction, _, sign, hours, minutes = match.groups()
    seconds = _whole_seconds(f"{day}T{clock}Z")
    if seconds is None:
        return None
    offset = 0
    if sign:
        if int(hours) > 23 or int(minutes) > 59:
            return None
        offset = (int(hours) * HOUR + int(minutes) * MINUTE) * (1 if sign == "+" else -1)
    return seconds - offset + int((fraction or "0")[:9].ljust(9, "0"))


def _whole_seconds(text: str) -> int | None:
    if text.startswith(_UNSET_YEAR) or not (text[4] == text[7] == "-" and text[13] == text[16] == ":"):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    delta = moment - _EPOCH
    return (delta.days * 86_400 + delta.seconds) * SECOND


def is_date_time(text: str) -> bool:
    """True for what the API server takes as ``format: date-time`` (``strfmt``), as far as Go's own writers go."""
    match = _DATE_TIME.fullmatch(text) if len(text) <= LONGEST_TIME else None
    if match is None:
        return False
    try:
        date.fromisoformat(match[1])
    except ValueError:
        return False
    return True


def parse_duration(text: str) -> int | None:
    """Nanoseconds of a Go duration (``1h30m``, ``90s``, ``1.5h``) or days (``7d``), or None. No sign: ages only."""
    if text == "0":
        return 0
    total, at = 0, 0
    while at < len(text):
        part = _DURATION_PART.match(text, at)
        if part is None:
            return None
        whole, _, fraction = part[1].partition(".")
        unit = _UNITS[part[2]]
        total += int(whole or "0") * unit + (int(fraction) * unit // 10 ** len(fraction) if fraction else 0)
        at = part.end()
    return total if text else None
