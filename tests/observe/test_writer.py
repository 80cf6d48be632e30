"""A queue and a thread between whoever has lines and a sink that may be slow."""

import os
import threading
from collections.abc import Sequence
from typing import ClassVar

from admission.observe.sink import DescriptorSink, MemorySink
from admission.observe.writer import Writer
from tests.observe.test_decisionlog import BlockedSink, BrokenSink


def test_lines_arrive_in_order_and_the_sink_is_closed() -> None:
    sink = MemorySink()
    writer = Writer(sink, name="w", capacity=10_000)
    lines = [b"%d\n" % number for number in range(1_000)]
    for line in lines:
        writer.put(line)
    assert writer.close()
    assert (sink.lines, sink.closed) == (lines, True)


def test_a_line_is_written_without_being_asked_for() -> None:
    reading, writing = os.pipe()
    writer = Writer(DescriptorSink(writing, owned=True), name="w", capacity=1)
    writer.put(b"now\n")
    assert os.read(reading, 10) == b"now\n"
    assert writer.close()
    os.close(reading)


def test_what_has_no_room_is_dropped_and_told() -> None:
    sink, dropped = BlockedSink(), list[int]()
    writer = Writer(sink, name="w", capacity=2, on_dropped=dropped.append)
    writer.put(b"1\n")
    sink.reached.wait()
    for line in (b"2\n", b"3\n", b"4\n", b"5\n"):
        writer.put(line)
    assert writer.full
    assert dropped == [1, 1]
    sink.open.set()
    assert writer.flush()
    assert sink.lines == [b"1\n", b"2\n", b"3\n"]
    assert writer.close()


def test_neither_flushing_nor_closing_waits_for_ever() -> None:
    sink, dropped = BlockedSink(), list[int]()
    writer = Writer(sink, name="w", capacity=2, on_dropped=dropped.append)
    writer.put(b"1\n")
    sink.reached.wait()
    assert not writer.flush(timeout=0.01)
    assert not writer.close(timeout=0.01)
    assert dropped
    sink.open.set()


def test_what_a_sink_loses_is_told() -> None:
    lost = threading.Event()
    writer = Writer(BrokenSink(), name="w", capacity=2, on_dropped=lambda count: lost.set())
    writer.put(b"1\n")
    assert lost.wait(10)
    assert writer.close()


def test_a_line_can_be_made_in_the_thread() -> None:
    sink, makers = MemorySink(), list[int]()

    def make() -> bytes:
        makers.append(threading.get_ident())
        return b"made\n"

    writer = Writer(sink, name="w", capacity=2)
    writer.put(make)
    assert writer.close()
    assert sink.lines == [b"made\n"]
    assert makers != [threading.get_ident()]


def test_a_line_that_cannot_be_made_is_told_and_stops_no_other() -> None:
    def fail() -> bytes:
        raise RuntimeError("of somebody else")

    sink, dropped = MemorySink(), list[int]()
    writer = Writer(sink, name="w", capacity=2, on_dropped=dropped.append)
    writer.put(fail)
    writer.put(b"next\n")
    assert writer.close()
    assert (sink.lines, dropped) == ([b"next\n"], [1])


def test_long_lines_are_written_a_few_at_a_time() -> None:
    class Batches(BlockedSink):
        sizes: ClassVar[list[int]] = []

        def write(self, lines: Sequence[bytes]) -> int:
            self.sizes.append(len(lines))
            return super().write(lines)

    sink = Batches()
    writer = Writer(sink, name="w", capacity=100)
    writer.put(b"first\n")
    sink.reached.wait()
    for _ in range(10):
        writer.put(b"x" * 300_000 + b"\n")
    sink.open.set()
    assert writer.close()
    assert sink.sizes == [1, 4, 4, 2]


class TurningSink(MemorySink):
    """Counts its turns, and is in trouble from the second on."""

    def __init__(self) -> None:
        super().__init__()
        self.turns = 0
        self.turned = threading.Event()

    def tick(self) -> None:
        self.turns += 1
        self.trouble = "no room" if self.turns > 1 else ""
        if self.turns > 2:
            self.turned.set()


def test_a_sink_has_its_turn_at_the_start_and_without_lines() -> None:
    sink, troubles = TurningSink(), list[str]()
    writer = Writer(sink, name="w", capacity=2, tick=0.001, on_trouble=troubles.append)
    assert sink.turned.wait(10)
    assert writer.close()
    assert set(troubles) == {"no room"}


def test_a_sink_whose_turn_fails_gets_the_next_lines() -> None:
    class Failing(MemorySink):
        def tick(self) -> None:
            raise RuntimeError("of somebody else")

    sink = Failing()
    writer = Writer(sink, name="w", capacity=2)
    writer.put(b"1\n")
    assert writer.close()
    assert sink.lines == [b"1\n"]
