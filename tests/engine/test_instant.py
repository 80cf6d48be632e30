"""Times as real controllers write them, and durations as Go writes them."""

from __future__ import annotations

from calendar import timegm
from datetime import UTC, date, datetime, timedelta, timezone
from itertools import takewhile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from admission.engine.instant import DAY, HOUR, MINUTE, SECOND, parse_duration, parse_time, parse_zoned_time

MIDNIGHT = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp()) * SECOND


@pytest.mark.parametrize(
    ("text", "after_midnight"),
    [
        ("2026-01-01T00:00:00Z", 0),
        ("2026-01-01T00:00:01Z", SECOND),
        ("2026-01-01T00:00:00.5Z", SECOND // 2),
        ("2026-01-01T00:00:00.000000001Z", 1),
        ("2026-01-01T00:00:00.0000000019Z", 1),
        ("2026-01-01T00:00:00,5Z", SECOND // 2),
        ("2026-01-01T02:00:00+02:00", 0),
        ("2026-01-01T02:00:00+0200", 0),
        ("2025-12-31T18:30:00-05:30", 0),
        ("2026-01-01T00:00:00.25+00:00", SECOND // 4),
        ("2026-01-01T00:00:00", 0),
        ("2026-01-01 00:00:00", 0),
        ("2026-01-01t00:00:00z", 0),
        ("2025-12-31T23:59:59.999999999Z", -1),
    ],
)
def test_reads_a_time(text: str, after_midnight: int) -> None:
    assert parse_time(text) == MIDNIGHT + after_midnight


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0001-01-01T00:00:00Z",
        "0001-01-01T00:00:00.5+01:00",
        "0001-01-01T00:00:00",
        "yesterday",
        "2026-01-01",
        "2026-01-01T00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-02-29T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:60Z",
        "2026-01-01T00:00:00ZZ",
        "2026-01-01T00:00:00 Z",
        "2026-01-01T00:00:00+24:00",
        "2026-01-01T00:00:00+00:60",
        "2026-01-01T00:00:00+00",
        "2026-01-01T00:00:00.Z",
        "20260101T000000Z",
        "2026-W01-4T00:00:00Z",
        " 2026-01-01T00:00:00Z",
        "2026-01-01T00:00:00Z\n",
        "2026-01-01T00:00:0\u0661Z",
        "1767225600",
        "2026-01-01T00:00:00." + "0" * 5000 + "Z",
    ],
)
def test_what_is_no_known_time(text: str) -> None:
    assert parse_time(text) is None


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("2026-01-01T00:00:00Z", True),
        ("2026-01-01t00:00:00z", True),
        ("2026-01-01T00:00:00.123456789+02:00", True),
        ("2026-01-01T00:00:00-0730", True),
        ("2026-01-01T00:00:00", False),
        ("2026-01-01T00:00:00.5", False),
        ("2026-01-01 00:00:00", False),
        ("0001-01-01T00:00:00Z", False),
        ("2026-01-01T00:00:00+25:00", False),
        ("2026-01-01T00:00:00Z\n", False),
        ("Z", False),
        ("", False),
        ("x" * 1_000_000 + "Z", False),
    ],
)
def test_reads_a_time_that_names_its_zone(text: str, known: bool) -> None:
    assert parse_zoned_time(text) == (parse_time(text) if known else None)
    assert (parse_zoned_time(text) is not None) is known


INSTANTS = st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
OFFSETS = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(INSTANTS, INSTANTS, OFFSETS, OFFSETS)
def test_times_order_like_instants(left: datetime, right: datetime, left_zone: timezone, right_zone: timezone) -> None:
    times = [
        parse_time(moment.astimezone(zone).isoformat()) for moment, zone in ((left, left_zone), (right, right_zone))
    ]
    assert times[0] is not None
    assert times[1] is not None
    assert (times[0] < times[1], times[0] == times[1]) == (left < right, left == right)


DIGITS = st.text("0123456789", min_size=1, max_size=12)
ZONES = st.sampled_from(("", "Z", "z")) | st.builds(
    "{}{:02}{}{:02}".format, st.sampled_from("+-"), st.integers(0, 23), st.sampled_from((":", "")), st.integers(0, 59)
)
TEXTS = st.builds(
    "{}{}{}{}{}".format,
    st.dates(date(2, 1, 1)),
    st.sampled_from("Tt "),
    st.times().map(lambda time: time.isoformat("seconds")),
    st.just("") | st.builds("{}{}".format, st.sampled_from(".,"), DIGITS),
    ZONES,
)


def by_the_book(text: str) -> int:
    """Nanoseconds since the epoch, place by place, without the parsers of the standard library."""
    fields = [int(text[at : at + 2]) for at in (5, 8, 11, 14, 17)]
    seconds = timegm((int(text[:4]), *fields))
    rest, digits = text[19:], ""
    if rest[:1] in (".", ","):
        digits = "".join(takewhile(str.isdigit, rest[1:]))
        rest = rest[1 + len(digits) :]
    if rest[:1] in ("+", "-"):
        minutes = int(rest[1:3]) * 60 + int(rest[-2:])
        seconds -= minutes * 60 if rest[0] == "+" else -minutes * 60
    return seconds * SECOND + int((digits + "0" * 9)[:9])


@given(TEXTS)
def test_reads_a_time_as_another_parser_does(text: str) -> None:
    assert parse_time(text) == by_the_book(text)


@given(st.lists(TEXTS, max_size=8))
def test_texts_order_like_the_instants_that_another_parser_reads(texts: list[str]) -> None:
    assert sorted(texts, key=lambda text: parse_time(text) or 0) == sorted(texts, key=by_the_book)


@given(st.text(max_size=40) | st.text("0123456789-T:Z+. ", max_size=40))
def test_no_text_is_a_fault(text: str) -> None:
    parse_time(text)
    parse_duration(text)


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("90s", 90 * SECOND),
        ("5m", 5 * MINUTE),
        ("1h30m", 90 * MINUTE),
        ("7d", 7 * DAY),
        ("1d12h", 36 * HOUR),
        ("1.5h", 90 * MINUTE),
        (".5s", SECOND // 2),
        ("1.s", SECOND),
        ("100ms", SECOND // 10),
        ("1us", 1000),
        ("1µs", 1000),
        ("1ns", 1),
        ("0", 0),
        ("0s", 0),
    ],
)
def test_reads_a_duration(text: str, length: int) -> None:
    assert parse_duration(text) == length


@pytest.mark.parametrize(
    "text", ["", "5", "-5m", "+5m", "5 m", "m", "5w", ".s", "1h ", "5M", "٣m", "2026-01-01T00:00:00Z", "9" * 5000 + "s"]
)
def test_what_is_no_duration(text: str) -> None:
    assert parse_duration(text) is None
