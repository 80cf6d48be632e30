"""The numbers of the demo's table: what is counted, and how it reads."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from tests.demo.table import cells, notes, percent, table
from tests.demo.tally import Tally


def tally() -> Tally:
    """A controller whose object was 60,000 bytes: two writes that were trimmed, and the second again."""
    found = Tally("Job", before=60_000)
    found.count(size=1_400, untrimmed=60_100, moved=True, repeat=False)
    found.count(size=1_400, untrimmed=1_500, moved=True, repeat=False)
    found.count(size=1_400, untrimmed=1_500, moved=False, repeat=True)
    return found


def rescued() -> Tally:
    """A controller whose writes the API server refuses, unless they are trimmed."""
    found = Tally("Cluster", before=600, frozen=True)
    found.count(size=32_000, untrimmed=None, moved=True, repeat=False)
    found.count(size=32_000, untrimmed=None, moved=False, repeat=True)
    return found


def printed(tallies: list[Tally], *, width: int = 80, encoding: str = "utf-8") -> list[str]:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="replace")
    Console(file=stream, width=width).print(table(tallies))
    stream.seek(0)
    return [line.rstrip() for line in stream.read().splitlines()]


def test_compares_what_was_stored_with_what_would_have_been() -> None:
    assert (tally().untrimmed, tally().stored) == (61_600, 2_800)


def test_a_repeat_is_no_merit_of_statuscap() -> None:
    found = tally()
    found.count(size=1_400, untrimmed=1_500, moved=False, repeat=True)
    assert (found.writes, found.repeats, found.untrimmed, found.stored) == (4, 2, 61_600, 2_800)


def test_a_repeat_that_reaches_etcd_costs_what_it_stores() -> None:
    found = tally()
    found.count(size=1_400, untrimmed=1_500, moved=True, repeat=True)
    assert (found.reached, found.untrimmed, found.stored) == (1, 61_600, 4_200)


def test_nothing_is_saved_where_nothing_is_trimmed() -> None:
    found = Tally("Job")
    found.count(size=60_100, untrimmed=60_100, moved=True, repeat=False)
    found.count(size=60_100, untrimmed=60_100, moved=False, repeat=True)
    assert percent(found.saved) == "0.0 %"


def test_a_write_that_was_held_back_saves_all_of_it() -> None:
    found = Tally("Job")
    found.count(size=1_400, untrimmed=1_400, moved=False, repeat=False)
    assert percent(found.saved) == "100.0 %"


def test_a_refused_write_saves_nothing() -> None:
    found = Tally("Cluster", frozen=True)
    found.refuse(message="Too long", repeat=False)
    found.refuse(message="Too long", repeat=True)
    assert (found.writes, found.repeats, found.refused) == (2, 1, ["Too long", "Too long"])
    assert cells(found)[1:6] == ["2", "2", "refused", "0 B", "–"]


def test_what_only_trimming_lets_pass_is_compared_with_nothing() -> None:
    assert cells(rescued())[1:] == ["2", "0", "refused", "31.2 KiB", "–", "frozen → 31.2 KiB"]
    assert Tally.total([tally(), rescued()]).saved == tally().saved


def test_says_whom_the_total_leaves_out() -> None:
    assert not any("leaves out" in note for note in notes([tally()]))
    assert any("leaves out Cluster" in note for note in notes([tally(), rescued()]))


def test_a_line_reads_like_a_sentence_of_numbers() -> None:
    assert cells(tally()) == ["Job", "3", "0", "60.2 KiB", "2.7 KiB", "95.5 %", "58.6 KiB → 1.4 KiB"]


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
        pytest.param(-3.21, "−3.2 %", id="more was stored"),
    ],
)
def test_a_share_has_one_digit(share: float | None, text: str) -> None:
    assert percent(share) == text


def test_the_last_line_is_the_sum() -> None:
    lines = printed([tally(), tally()])
    assert lines[-1].split() == ["Total", "6", "0", "120", "KiB", "5.5", "KiB", "95.5", "%"]


def test_fits_a_terminal_of_80_columns_at_its_widest() -> None:
    wide = Tally("Application", writes=99_999, untrimmed=10**9, stored=10**8, before=150_000, now=20_800)
    wide.refused = ["Too long"] * 99_999
    lines = printed([wide])
    assert all(len(line) <= 80 for line in lines)
    assert not any("…" in line for line in lines)
    assert any("146 KiB → 20.3 KiB" in line for line in lines)


def test_a_terminal_without_unicode_gets_it_too() -> None:
    assert any(line.startswith("Job") for line in printed([tally()], encoding="ascii"))
