"""The numbers of the demo's table: what is counted, and how it reads."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from tests.demo.table import cells, percent, table
from tests.demo.tally import Tally


def tally() -> Tally:
    """A controller whose object was 60,000 bytes: two writes that were trimmed, one that was held back."""
    found = Tally("Job", before=60_000)
    found.count(sent=60_100, size=1_400, moved=True, differs=True)
    found.count(sent=1_500, size=1_400, moved=True, differs=True)
    found.count(sent=1_500, size=1_400, moved=False, differs=True)
    return found


def printed(tallies: list[Tally], *, width: int = 80, encoding: str = "utf-8") -> list[str]:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="replace")
    Console(file=stream, width=width).print(table(tallies))
    stream.seek(0)
    return [line.rstrip() for line in stream.read().splitlines()]


def test_counts_as_stored_only_what_reached_etcd() -> None:
    assert (tally().writes, tally().sent, tally().stored, tally().avoided) == (3, 63_100, 2_800, 1)


def test_a_write_of_what_is_stored_is_no_merit_of_statuscap() -> None:
    found = tally()
    found.count(sent=1_400, size=1_400, moved=False, differs=False)
    assert (found.writes, found.avoided) == (4, 1)


def test_a_refused_write_was_sent_and_stored_nothing() -> None:
    found = tally()
    found.refuse(sent=47_000, message="Too long")
    assert (found.writes, found.sent, found.stored, found.refused) == (4, 110_100, 2_800, ["Too long"])


def test_a_line_reads_like_a_sentence_of_numbers() -> None:
    assert cells(tally()) == ["Job", "3", "61.6 KiB", "2.7 KiB", "95.6 %", "1", "58.6 KiB → 1.4 KiB"]


def test_an_object_that_the_api_server_had_refused_was_frozen() -> None:
    found = tally()
    found.frozen = True
    assert cells(found)[-1] == "frozen → 1.4 KiB"


@pytest.mark.parametrize(
    ("share", "text"),
    [
        pytest.param(None, "–", id="nothing was sent"),
        pytest.param(0.0, "0.0 %", id="nothing was saved"),
        pytest.param(57.24, "57.2 %", id="one digit"),
        pytest.param(99.97, "99.9 %", id="not all is never all"),
        pytest.param(100.0, "100.0 %", id="all"),
        pytest.param(-3.21, "−3.2 %", id="more was stored than sent"),
    ],
)
def test_a_share_has_one_digit(share: float | None, text: str) -> None:
    assert percent(share) == text


def test_the_last_line_is_the_sum() -> None:
    lines = printed([tally(), tally()])
    assert lines[-1].split() == ["Total", "6", "123", "KiB", "5.5", "KiB", "95.6", "%", "2"]


def test_fits_a_terminal_of_80_columns_at_its_widest() -> None:
    wide = Tally("Application", writes=9_999, sent=10**9, stored=10**8, avoided=3_333, before=150_000, now=20_800)
    lines = printed([wide])
    assert not any("…" in line for line in lines)
    assert any("146 KiB → 20.3 KiB" in line for line in lines)


def test_a_terminal_without_unicode_gets_it_too() -> None:
    assert any(line.startswith("Job") for line in printed([tally()], encoding="ascii"))
