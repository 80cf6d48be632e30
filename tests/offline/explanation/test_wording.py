"""Words of explanations."""

from __future__ import annotations

import pytest

from admission.engine.instant import DAY, HOUR, MINUTE, SECOND
from admission.offline.explanation.wording import all_of, counted, duration, sentence, size, together
from tests.engine.build import requirements


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("state In Running Waiting", "state is Running or Waiting"),
        ("state NotIn Done", "state is not Done"),
        ("state Exists", "state is there"),
        ("state DoesNotExist", "state is absent"),
        ("n Lt 5", "n is below 5"),
        ("n Gt 5", "n is above 5"),
        ("at OlderThan 5m", "at is older than 5m"),
        ("at NewerThan 5m", "at is newer than 5m"),
        ("at OlderThan 2026-01-01T00:00:00Z", "at is before 2026-01-01T00:00:00Z"),
        ("at NewerThan 2026-01-01T00:00:00Z", "at is after 2026-01-01T00:00:00Z"),
        (". In a", "the item itself is a"),
    ],
)
def test_requirements_are_put_into_words(text: str, words: str) -> None:
    assert all_of(requirements([text])) == words


def test_several_hold_together() -> None:
    assert all_of(requirements(["a Exists", "b Exists", "c Exists"])) == "a is there, b is there and c is there"


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (5 * MINUTE, "5 minutes"),
        (HOUR + 30 * MINUTE, "1 hour and 30 minutes"),
        (DAY + HOUR + MINUTE + SECOND, "1 day, 1 hour, 1 minute and 1 second"),
        (1_500_000, "1.5 milliseconds"),
        (0, "0 milliseconds"),
    ],
)
def test_durations(nanoseconds: int, text: str) -> None:
    assert duration(nanoseconds) == text


def test_sizes_are_exact() -> None:
    assert [size(number) for number in (1, 40, 4096, 32_000)] == ["1 byte", "40 bytes", "4Ki", "32000 bytes"]


def test_lists_counts_and_sentences() -> None:
    assert together(["a"]) == "a"
    assert counted(1, "item") == "1 item"
    assert sentence("keeps", "", "two") == "Keeps two."
