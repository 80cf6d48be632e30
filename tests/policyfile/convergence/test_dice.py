"""Dice draw what is known to be hard, and the same each time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from admission.engine.instant import MINUTE, SECOND, parse_time
from admission.policyfile.convergence.dice import MOST_BYTES, MOST_ITEMS, Dice
from admission.policyfile.convergence.instants import NOW
from admission.policyfile.convergence.mold import Mold
from admission.policyfile.convergence.molding import mold_of
from tests.engine.build import cap_list, dedupe, path, policy, truncate


def drawn(mold: Mold, *, times: int = 200) -> list[Any]:
    return [Dice(str(number)).value(mold) for number in range(times)]


def history(mold: Mold) -> Mold:
    return mold.at(path("status.history"))


def test_the_same_seed_draws_the_same() -> None:
    mold = mold_of([policy(cap_list(4), truncate(64))])
    assert drawn(mold) == drawn(mold)
    assert len({repr(each) for each in drawn(mold)}) > 100


def test_lists_reach_over_their_cap_by_one() -> None:
    lengths = {len(items) for items in drawn(history(mold_of([policy(cap_list(4))])))}
    assert {0, 5, 6} <= lengths


def test_no_list_is_longer_than_a_sample_may_be() -> None:
    assert max(len(items) for items in drawn(history(mold_of([policy(cap_list(MOST_ITEMS))])))) < MOST_ITEMS


def test_lists_hold_twins() -> None:
    lists = drawn(history(mold_of([policy(dedupe("First", ["name"]), cap_list(4))])))
    assert any(item in items[:at] for items in lists for at, item in enumerate(items) if item)


def test_texts_stand_around_the_size_at_which_they_are_cut() -> None:
    texts = drawn(mold_of([policy(truncate(64))]).at(path("status.message")), times=400)
    sizes = {len(text.encode()) for text in texts}
    assert sizes & {64}
    assert sizes & {65}
    assert max(sizes) > 64
    assert any(not text.isascii() for text in texts)


def test_long_texts_have_room_in_a_sample() -> None:
    mold = history(mold_of([policy(truncate(32_000, "status.history[*].message"), cap_list(60))]))
    assert max(sum(len(str(item)) for item in items) for items in drawn(mold, times=60)) < 2 * MOST_BYTES


def test_times_stand_around_the_ages_that_are_asked_for() -> None:
    texts = drawn(Mold(is_time=True, ages={5 * MINUTE}), times=400)
    ages = {NOW - parsed for text in texts if text and (parsed := parse_time(text)) is not None}
    assert {5 * MINUTE - SECOND, 5 * MINUTE, 5 * MINUTE + SECOND} <= ages
    assert None in texts
    assert "" in texts


def test_numbers_stand_around_their_bound_as_numbers_and_as_texts() -> None:
    numbers = drawn(Mold(is_number=True, words={"5": None}))
    assert {4, 5, 6} <= {each for each in numbers if isinstance(each, int)}
    assert {"4", "5", "6"} <= {each for each in numbers if isinstance(each, str)}


def test_words_and_huge_numbers_are_no_bounds() -> None:
    mold = Mold(is_number=True, words={"Running": None, "1e300": None, "0.5": None})
    assert {-2, -1, 0, 1, 2} >= {each for each in drawn(mold) if isinstance(each, int)}


def test_a_map_has_entries_by_name() -> None:
    mold = Mold()
    mold.as_map().is_text = True
    mold.counts.add(2)
    assert {3, 4} <= {len(entries) for entries in drawn(mold)}


def test_what_is_stored_looks_much_alike() -> None:
    mold = mold_of([policy(cap_list(4, "at Time"))])
    dice = Dice("a")
    before = dice.object(mold)
    after = [dice.bent(before, mold) for _ in range(30)]
    assert before in after
    assert any(each != before for each in after)
    assert all(names(each) <= names(before) | names(Dice("b").object(mold)) for each in after)


def names(value: Any) -> set[str]:
    def inside(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            for name, each in value.items():
                yield name
                yield from inside(each)
        elif isinstance(value, list):
            for each in value:
                yield from inside(each)

    return set(inside(value)) | {"message", "at"}
