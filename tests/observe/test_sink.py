"""Where lines go, and what is left of them when there is no room."""

import os
import threading
from pathlib import Path

import pytest

from admission.observe.sink import DescriptorSink, MemorySink

LINES = [b'{"a":1}\n', b'{"b":2}\n']


def test_memory_keeps_lines() -> None:
    sink = MemorySink()
    assert sink.write(LINES) == 2
    sink.close()
    assert (sink.lines, sink.closed) == (LINES, True)


def test_a_file_is_made_and_appended_to(tmp_path: Path) -> None:
    path = tmp_path / "decisions.log"
    for _ in range(2):
        sink = DescriptorSink.file(path)
        assert sink.write(LINES) == 2
        sink.close()
    assert path.read_bytes() == b"".join(LINES) * 2
    assert path.stat().st_mode & 0o007 == 0


def test_a_file_that_cannot_be_opened_is_an_error_at_start(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        DescriptorSink.file(tmp_path / "missing" / "decisions.log")


def test_a_pipe_without_a_reader_is_an_error_and_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(OSError, match="it is a pipe that nobody reads; start its reader first"):
        DescriptorSink.file(path)


def test_a_pipe_with_a_reader_is_written_and_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reading = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    sink = DescriptorSink.file(path)
    long = b"x" * 200_000 + b"\n"  # a pipe holds 64 KiB
    writing = threading.Thread(target=lambda: taken.append(sink.write([long])))
    taken: list[int] = []
    writing.start()
    os.set_blocking(reading, True)
    arrived = b""
    while len(arrived) < len(long):
        arrived += os.read(reading, 1 << 16)
    writing.join()
    sink.close()
    os.close(reading)
    assert (taken, arrived) == ([1], long)


def test_a_full_disk_loses_lines_and_nothing_else() -> None:
    sink = DescriptorSink.file(Path("/dev/full"))
    assert sink.write(LINES) == 0
    assert sink.write(LINES) == 0
    assert sink.trouble == "No space left on device"
    sink.tick()
    assert sink.trouble == "", "it is told once"
    sink.close()


def test_a_closed_pipe_loses_lines_and_nothing_else() -> None:
    reading, writing = os.pipe()
    sink = DescriptorSink(writing, owned=True)
    assert sink.write(LINES) == 2
    os.close(reading)
    assert sink.write(LINES) == 0
    sink.close()


def test_a_line_that_was_cut_off_does_not_spoil_the_next() -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    sink = DescriptorSink(writing, owned=True)
    long = b"x" * 50_000 + b"\n"
    taken = sink.write([long, long])  # a pipe holds 64 KiB
    assert taken == 1
    arrived = os.read(reading, 1 << 17)
    assert sink.write(LINES) == 2
    sink.close()
    assert arrived.startswith(long)
    assert os.read(reading, 1 << 17) == b"\n" + b"".join(LINES)
    os.close(reading)


def test_the_standard_output_stays_open(capfd: pytest.CaptureFixture[str]) -> None:
    sink = DescriptorSink(1)
    sink.write(LINES)
    sink.close()
    os.write(1, b"still open\n")
    assert capfd.readouterr().out == '{"a":1}\n{"b":2}\nstill open\n'
