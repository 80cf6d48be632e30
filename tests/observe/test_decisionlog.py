"""Which answers are logged, and what a slow or broken sink costs."""

import json
import threading
import tracemalloc
from collections import Counter
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from admission.engine.decision import Outcome, Reason, Violation, unchanged
from admission.handler import Handler
from admission.observe.archive import Archive
from admission.observe.decisionlog import CAPACITY, SKIPPED_PER_SECOND, DecisionLog
from admission.observe.sink import MemorySink
from tests.observe.answers import NOW, POLICIES, SECOND, answer, with_outcome
from tests.review_sample import review

LOGGED = [outcome for outcome in Outcome if outcome is not Outcome.UNCHANGED]


class BlockedSink(MemorySink):
    """A pipe that nobody reads, until it is opened."""

    def __init__(self) -> None:
        super().__init__()
        self.reached = threading.Event()
        self.open = threading.Event()

    def write(self, lines: Sequence[bytes]) -> int:
        self.reached.set()
        self.open.wait()
        return super().write(lines)


class BrokenSink(MemorySink):
    def write(self, lines: Sequence[bytes]) -> int:
        raise RuntimeError("a sink of somebody else")


class HalfSink(MemorySink):
    def write(self, lines: Sequence[bytes]) -> int:
        return super().write(lines[: len(lines) // 2])


def lines_of(sink: MemorySink) -> list[str]:
    return [json.loads(line)["outcome"] for line in sink.lines]


@pytest.mark.parametrize("outcome", LOGGED)
def test_logs_what_changed_or_would_have(outcome: Outcome) -> None:
    sink = MemorySink()
    log = DecisionLog(sink, instance="replica-1")
    log.record(answer(with_outcome(outcome)), 1)
    assert log.close()
    assert lines_of(sink) == [outcome]
    assert json.loads(sink.lines[0])["instance"] == "replica-1"
    assert sink.closed


@pytest.mark.parametrize("reason", [Reason.NONE, Reason.NO_POLICY])
def test_unchanged_writes_are_not_logged(reason: Reason) -> None:
    sink = MemorySink()
    log = DecisionLog(sink)
    log.record(answer(unchanged(reason)), 1)
    log.close()
    assert sink.lines == []


def test_a_write_that_passes_above_a_limit_is_logged() -> None:
    sink = MemorySink()
    log = DecisionLog(sink)
    log.record(answer(unchanged(Reason.ABOVE_LIMIT)), 1)
    log.close()
    assert json.loads(sink.lines[0])["reason"] == "AboveLimit"


def test_a_share_of_unchanged_writes_is_logged_when_asked_for() -> None:
    sink = MemorySink()
    log = DecisionLog(sink, sample=0.25)
    for number in range(1_000):
        log.record(answer(unchanged(), uid=f"uid-{number}"), 1)
    log.close()
    assert 200 < len(sink.lines) < 300


def test_all_unchanged_writes_are_logged_at_a_share_of_one() -> None:
    sink = MemorySink()
    log = DecisionLog(sink, sample=1.0)
    log.record(answer(unchanged()), 1)
    log.close()
    assert lines_of(sink) == ["Unchanged"]


def test_what_is_no_review_is_not_logged() -> None:
    sink = MemorySink()
    log = DecisionLog(sink, sample=1.0)
    log.record(Handler(POLICIES).mutate(b"no review"), 1)
    log.close()
    assert sink.lines == []


def test_faults_and_shed_reviews_are_ten_lines_a_second() -> None:
    sink = MemorySink()
    log = DecisionLog(sink)
    for at in [NOW] * 50 + [NOW + SECOND] * 3:
        log.record(Handler(POLICIES, lambda at=at: at).shed(review()), 1)  # type: ignore[misc]
    log.close()
    assert len(sink.lines) == SKIPPED_PER_SECOND + 3


def test_the_next_line_tells_how_many_faults_were_left_out() -> None:
    sink = MemorySink()
    log = DecisionLog(sink)
    for at in [NOW] * 50 + [NOW + SECOND] * 2:
        log.record(Handler(POLICIES, lambda at=at: at).shed(review()), 1)  # type: ignore[misc]
        log.record(answer(at=at), 1)
    log.close()
    shed = [line for line in map(json.loads, sink.lines) if line["outcome"] == "Skipped"]
    assert [line.get("heldBack") for line in shed] == [None] * SKIPPED_PER_SECOND + [40, None]
    assert not any("heldBack" in line for line in map(json.loads, sink.lines) if line["outcome"] == "Trimmed")


def test_the_same_unchanged_writes_are_logged_by_every_replica() -> None:
    logged = []
    for _ in range(2):
        sink = MemorySink()
        log = DecisionLog(sink, sample=0.1)
        for number in range(300):
            log.record(answer(unchanged(), uid=f"uid-{number}"), 1)
        log.close()
        logged.append([json.loads(line)["uid"] for line in sink.lines])
    assert logged[0] == logged[1]
    assert logged[0]


def test_a_sink_that_blocks_delays_nobody_and_loses_are_counted() -> None:
    sink, dropped = BlockedSink(), list[int]()
    log = DecisionLog(sink, capacity=5, on_dropped=dropped.append)
    log.record(answer(), 1)
    sink.reached.wait()
    for _ in range(8):
        log.record(answer(), 1)
    assert dropped == [1, 1, 1]
    sink.open.set()
    assert log.close()
    assert len(sink.lines) == 6


@pytest.mark.parametrize("archive", [None, Archive(max_line=1_000_000)], ids=["without values", "with values"])
def test_a_hundred_thousand_decisions_for_a_sink_that_blocks_keep_memory_flat(archive: Archive | None) -> None:
    sink, dropped = BlockedSink(), Counter[str]()
    log = DecisionLog(sink, archive=archive, on_dropped=lambda count: dropped.update(lines=count))
    log.record(answer(), 1)
    sink.reached.wait()
    given = [answer() for _ in range(100)]
    for number in range(CAPACITY):
        log.record(given[number % 100], 1)
    tracemalloc.start()
    try:
        for number in range(100_000):
            log.record(given[number % 100], 1)
        grown, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert grown < 100_000, "bytes"
    assert dropped["lines"] == 100_000
    sink.open.set()
    assert log.close()
    assert len(sink.lines) == CAPACITY + 1


def test_closing_does_not_wait_for_ever() -> None:
    sink, dropped = BlockedSink(), list[int]()
    log = DecisionLog(sink, on_dropped=dropped.append)
    log.record(answer(), 1)
    sink.reached.wait()
    log.record(answer(), 1)
    assert log.close(timeout=0.01) is False
    assert dropped
    sink.open.set()


@pytest.mark.parametrize(("sink", "lost"), [(BrokenSink(), 2), (HalfSink(), 1)], ids=["raises", "takes half"])
def test_lines_that_a_sink_loses_are_counted(sink: MemorySink, lost: int) -> None:
    dropped: list[int] = []
    log = DecisionLog(sink, on_dropped=dropped.append)
    log.record(answer(), 1)
    log.record(answer(), 1)
    assert log.flush()
    assert log.close()
    assert sum(dropped) in (lost, lost + 1)  # the two lines may come in one batch or in two


def test_flushing_waits_for_what_was_recorded() -> None:
    sink = MemorySink()
    log = DecisionLog(sink)
    for _ in range(1_000):
        log.record(answer(), 1)
    assert log.flush()
    assert len(sink.lines) == 1_000
    log.close()


def test_a_broken_invariant_is_logged_also_where_nothing_changed() -> None:
    sink = MemorySink()
    log = DecisionLog(sink)
    violation = Violation("I5", "grows", "status got bigger")
    log.record(answer(replace(unchanged(), violations=(violation,))), 1)
    log.close()
    assert lines_of(sink) == ["Unchanged"]
