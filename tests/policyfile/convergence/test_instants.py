"""Times around the moment at which samples are judged."""

from __future__ import annotations

from admission.engine.instant import DAY, SECOND, parse_time
from admission.policyfile.convergence.instants import NOW, NOW_TEXT, rfc3339


def test_the_moment_is_its_text() -> None:
    assert parse_time(NOW_TEXT) == NOW
    assert rfc3339(NOW) == NOW_TEXT


def test_times_are_written_as_they_are_read() -> None:
    assert parse_time(rfc3339(NOW - 90 * SECOND)) == NOW - 90 * SECOND
    assert parse_time(rfc3339(NOW, fraction=True)) == NOW + SECOND // 4


def test_what_is_older_than_a_century_is_a_century_old() -> None:
    assert rfc3339(NOW - 1_000_000 * DAY) == rfc3339(NOW - 36_500 * DAY)
