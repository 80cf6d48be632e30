"""Writers that put back again and again what is taken from them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from admission.observe.fights import LIMIT, Fight, Fights
from tests.observe.answers import MINUTE, SECOND

HOUR = 60 * MINUTE
NAME = "batch.volcano.sh/jobs/research/train-mpi"


def changed(fights: Fights, *times: int, name: str = NAME) -> list[Fight | None]:
    return [fights.changed(name, time) for time in times]


def burst(count: int, start: int = 0) -> list[int]:
    """So many times in one second."""
    return [start + SECOND * number // count for number in range(count)]


def test_thirty_changed_answers_in_a_minute_are_normal_and_one_more_is_a_fight() -> None:
    fights = Fights()
    assert changed(fights, *burst(LIMIT)) == [None] * LIMIT
    assert changed(fights, MINUTE - 1) == [Fight.TELL]


def test_a_writer_that_puts_it_back_every_two_seconds_fights_with_nobody() -> None:
    assert set(changed(Fights(), *range(0, HOUR, 2 * SECOND))) == {None}


def test_what_is_a_minute_ago_is_over() -> None:
    fights = Fights()
    changed(fights, *[0] * LIMIT)
    assert changed(fights, MINUTE) == [None]


def test_a_minute_is_any_minute_and_not_one_of_the_clock() -> None:
    half = LIMIT // 2
    times = [*burst(half, MINUTE - 2 * SECOND), *burst(half + 1, MINUTE + 2 * SECOND)]
    assert changed(Fights(), *times)[-1] is Fight.TELL


def test_a_fight_is_counted_once_a_minute_as_long_as_it_lasts_and_told_once_an_hour() -> None:
    found = changed(Fights(), *range(0, 3 * HOUR, SECOND))
    counted = [second for second, fight in enumerate(found) if fight is not None]
    assert counted == [*range(30, 3 * 3600, 60)]
    assert [second for second, fight in enumerate(found) if fight is Fight.TELL] == [30, 3630, 7230]


def test_objects_are_counted_apart() -> None:
    fights = Fights()
    for time in burst(LIMIT):
        assert changed(fights, time, name="a") == changed(fights, time, name="b") == [None]
    assert changed(fights, SECOND, name="a") == [Fight.TELL]
    assert changed(fights, SECOND, name="b") == [Fight.TELL]


def test_of_a_policy_that_fights_with_everybody_some_lines_a_minute_are_told_and_the_rest_later() -> None:
    fights = Fights(limit=1, lines=2)
    names = ["a", "b", "c"]
    first = [fights.changed(name, time) for time in (0, 1) for name in names]
    assert first == [None, None, None, Fight.TELL, Fight.TELL, Fight.COUNT]
    later = [fights.changed(name, MINUTE + time) for time in (1, 2) for name in names]
    assert later.count(Fight.TELL) == 1, "the one that was not told yet"


def test_the_object_that_was_changed_least_recently_is_forgotten() -> None:
    fights = Fights(limit=1, capacity=2)
    for name in ("a", "b", "a", "c"):
        fights.changed(name, 0)
    assert len(fights) == 2
    assert fights.changed("b", 1) is None, "forgotten: it starts anew"


def test_full_memory_stays_as_large_as_it_is() -> None:
    fights = Fights(capacity=50)
    for number in range(500):
        fights.changed(f"job-{number}", number)
    assert len(fights) == 50


# --- against an oracle that forgets nothing ---


@dataclass
class Oracle:
    """Every time of every object, for ever."""

    limit: int
    lines: int
    times: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    counted: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    told: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def changed(self, name: str, now: int) -> Fight | None:
        self.times[name].append(now)
        if within(self.times[name], now, MINUTE) <= self.limit or within(self.counted[name], now, MINUTE):
            return None
        self.counted[name].append(now)
        lines = sum(within(times, now, MINUTE) for times in self.told.values())
        if within(self.told[name], now, HOUR) or lines >= self.lines:
            return Fight.COUNT
        self.told[name].append(now)
        return Fight.TELL


def within(times: list[int], now: int, span: int) -> int:
    return sum(now - time < span for time in times)


STEPS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from([0, 1, SECOND, 10 * SECOND, MINUTE - 1, MINUTE, 20 * MINUTE])),
    max_size=120,
)


@settings(deadline=None)  # a busy machine is no fault
@given(STEPS, st.integers(1, 5), st.integers(1, 3))
def test_finds_what_one_would_find_who_forgets_nothing(steps: list[tuple[str, int]], limit: int, lines: int) -> None:
    fights, oracle, now = Fights(limit, lines=lines), Oracle(limit, lines), 0
    for name, passed in steps:
        now += passed
        assert fights.changed(name, now) == oracle.changed(name, now)


@settings(deadline=None)  # a busy machine is no fault
@given(STEPS, st.integers(1, 3))
def test_whoever_forgets_finds_no_fight_where_none_is(steps: list[tuple[str, int]], limit: int) -> None:
    fights, oracle, now = Fights(limit, capacity=1), Oracle(limit, lines=20), 0
    for name, passed in steps:
        now += passed
        found = fights.changed(name, now)
        oracle.changed(name, now)
        assert found is None or within(oracle.times[name], now, MINUTE) > limit
