"""A queue and a thread between whoever has lines and a sink that may be slow."""

import os
import threading

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
