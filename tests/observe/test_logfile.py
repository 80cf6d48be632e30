"""A log file: rotated by itself and by others, full, torn, shared."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from admission.observe.entry import rfc3339
from admission.observe.logfile import LogFile, log_sink
from admission.observe.rotation import Rotation
from admission.observe.sink import DescriptorSink
from tests.engine.conftest import EXAMPLES
from tests.observe.answers import MINUTE, NOW, SECOND

HOUR = 60 * MINUTE
DAY = 24 * HOUR
UNBOUNDED = Rotation()


class Clock:
    """A clock that is moved."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "decisions.jsonl"


def lines(at: int, *numbers: int) -> list[bytes]:
    """Lines of 100 bytes, as of a time."""
    heads = [json.dumps({"time": rfc3339(at), "n": number}) for number in numbers]
    return [head[:-1].encode().ljust(98) + b"}\n" for head in heads]


def numbers(*paths: Path) -> list[int]:
    """The numbers of all lines, each of which is whole."""
    return [json.loads(line)["n"] for path in paths for line in path.read_bytes().splitlines()]


def rotated(path: Path) -> list[Path]:
    """The rotated files, in the order of their names."""
    return sorted(set(path.parent.iterdir()) - {path})


# --- rotation ---


def test_a_line_is_a_hundred_bytes() -> None:
    assert [len(line) for line in lines(NOW, 1, 12, 123)] == [100, 100, 100]


def test_a_file_that_would_get_too_large_is_rotated_before_a_line(path: Path, clock: Clock) -> None:
    log = LogFile(path, Rotation(max_size=300), clock)
    for number in range(7):
        assert log.write(lines(clock.now, number)) == 1
    log.close()
    assert [numbers(each) for each in rotated(path)] == [[0, 1, 2], [3, 4, 5]]
    assert numbers(path) == [6]
    assert [each.name for each in rotated(path)] == [
        "decisions-20260101T000000Z.jsonl",
        "decisions-20260101T000001Z.jsonl",
    ]


def test_lines_that_come_together_stay_together(path: Path, clock: Clock) -> None:
    log = LogFile(path, Rotation(max_size=300), clock)
    log.write(lines(NOW, 0, 1))
    log.write(lines(NOW, 2, 3, 4, 5))
    log.close()
    assert [numbers(each) for each in (*rotated(path), path)] == [[0, 1], [2, 3, 4, 5]]


def test_a_file_whose_first_line_is_too_old_is_rotated(path: Path, clock: Clock) -> None:
    log = LogFile(path, Rotation(max_age=DAY), clock)
    for number in range(4):
        log.write(lines(clock.now, number))
        clock.now += 9 * HOUR
    log.close()
    assert [numbers(each) for each in (*rotated(path), path)] == [[0, 1, 2], [3]]
    assert rotated(path)[0].name == "decisions-20260102T030000Z.jsonl"


def test_a_restart_appends_and_does_not_make_the_file_younger(path: Path, clock: Clock) -> None:
    for number in range(4):
        log = LogFile(path, Rotation(max_age=DAY), clock)
        log.write(lines(clock.now, number))
        log.close()
        clock.now += 9 * HOUR
    assert [numbers(each) for each in (*rotated(path), path)] == [[0, 1, 2], [3]]


def test_a_file_whose_first_line_tells_no_time_is_as_old_as_its_last_change(path: Path, clock: Clock) -> None:
    path.write_bytes(b'{"n":0}\n')
    os.utime(path, ns=(NOW, NOW - 23 * HOUR))
    log = LogFile(path, Rotation(max_age=DAY), clock)
    log.write(lines(NOW, 1))
    assert rotated(path) == []
    log.close()
    os.utime(path, ns=(NOW, NOW - 24 * HOUR))
    log = LogFile(path, Rotation(max_age=DAY), clock)
    log.write(lines(NOW, 2))
    log.close()
    assert [numbers(each) for each in (*rotated(path), path)] == [[0, 1], [2]]


def test_a_file_to_which_nobody_writes_is_rotated_too(path: Path, clock: Clock) -> None:
    log = LogFile(path, Rotation(max_age=DAY), clock)
    log.write(lines(NOW, 0))
    log.tick()
    clock.now += DAY
    log.tick()
    log.tick()
    log.close()
    assert [each.read_bytes() for each in (*rotated(path), path)] == [b"".join(lines(NOW, 0)), b""]


def test_a_clock_that_is_set_back_rotates_nothing_early(path: Path, clock: Clock) -> None:
    log = LogFile(path, Rotation(max_age=DAY), clock)
    for number in range(3):
        log.write(lines(clock.now, number))
        clock.now -= 3 * DAY
    log.close()
    assert (rotated(path), numbers(path)) == ([], [0, 1, 2])


def test_what_is_too_old_is_removed_at_start(path: Path, clock: Clock) -> None:
    for day in (24, 25, 26):
        (path.parent / f"decisions-202512{day}T000000Z.jsonl").touch()
    bystander = path.parent / "other-20200101T000000Z.jsonl"
    bystander.touch()
    log = LogFile(path, Rotation(retention=7 * DAY), clock)
    log.tick()
    log.close()
    assert [each.name for each in rotated(path)] == ["decisions-20251226T000000Z.jsonl", bystander.name]


def test_all_files_together_stay_below_their_bound(path: Path, clock: Clock) -> None:
    log = LogFile(path, Rotation(max_size=300, max_total=1_000), clock)
    for number in range(100):
        log.write(lines(clock.now, number))
        assert sum(each.stat().st_size for each in path.parent.iterdir()) <= 1_000
    log.close()
    assert numbers(*rotated(path), path) == list(range(93, 100)), "the newest"


def test_a_link_stays_and_its_file_is_rotated(tmp_path: Path, clock: Clock) -> None:
    real, link = tmp_path / "disk" / "decisions.jsonl", tmp_path / "link.jsonl"
    real.parent.mkdir()
    link.symlink_to(real)
    log = LogFile(link, Rotation(max_size=100), clock)
    for number in range(2):
        log.write(lines(NOW, number))
    log.close()
    assert link.is_symlink()
    assert [numbers(each) for each in (*rotated(real), real)] == [[0], [1]]


# --- others at the file ---


def test_a_file_that_was_moved_is_made_anew(path: Path, clock: Clock) -> None:
    log = LogFile(path, UNBOUNDED, clock)
    log.write(lines(NOW, 0))
    path.rename(path.with_suffix(".1"))
    log.write(lines(NOW, 1))
    log.close()
    assert [numbers(each) for each in (path.with_suffix(".1"), path)] == [[0], [1]]


def test_a_file_that_was_emptied_is_written_from_its_start(path: Path, clock: Clock) -> None:
    log = LogFile(path, Rotation(max_age=DAY), clock)
    log.write(lines(NOW, 0, 1, 2))
    os.truncate(path, 0)
    clock.now += DAY
    log.write(lines(clock.now, 3))
    clock.now += HOUR
    log.write(lines(clock.now, 4))
    log.close()
    assert (numbers(path), rotated(path)) == ([3, 4], [])


def test_a_moved_file_is_used_further_when_there_can_be_no_new_one(path: Path, clock: Clock) -> None:
    log = LogFile(path, Rotation(max_size=200), clock)
    moved = path.with_suffix(".1")
    log.write(lines(NOW, 0))
    path.rename(moved)
    path.mkdir()
    for number in range(1, 4):
        assert log.write(lines(NOW, number)) == 1
        assert log.trouble == f"{path}: Is a directory"
    path.rmdir()
    log.write(lines(NOW, 4))
    assert log.trouble == ""
    log.close()
    assert (numbers(moved), numbers(path)) == ([0, 1, 2, 3], [4])


def test_lines_for_a_file_that_is_gone_for_good_are_lost_and_said_to_be(path: Path, clock: Clock) -> None:
    log = LogFile(path, UNBOUNDED, clock)
    path.unlink()
    path.mkdir()
    assert log.write(lines(NOW, 0)) == 0
    assert log.trouble == f"{path}: Is a directory"
    log.tick()
    log.close()


def test_a_directory_that_cannot_be_written_to_keeps_the_file_in_use(path: Path, clock: Clock) -> None:
    log = LogFile(path, Rotation(max_size=100), clock)
    log.write(lines(NOW, 0))
    gone = path.parent.rename(path.parent.with_name("moved"))
    assert log.write(lines(NOW, 1)) == 1
    assert "No such file or directory" in log.trouble
    log.close()
    assert numbers(gone / path.name) == [0, 1]


def test_a_file_that_is_mounted_by_itself_cannot_be_rotated_and_grows_on(path: Path, clock: Clock) -> None:
    path.touch()
    with mounted(path, "--bind", str(path)):
        log = LogFile(path, Rotation(max_size=100), clock)
        for number in range(3):
            assert log.write(lines(NOW, number)) == 1
        assert log.trouble == f"{path}: Device or resource busy"
        log.close()
        assert numbers(path) == [0, 1, 2]


def test_an_old_file_that_cannot_be_removed_keeps_no_other(path: Path, clock: Clock) -> None:
    old = [path.with_name(f"decisions-2025010{day}T000000Z.jsonl") for day in (1, 2, 3)]
    for each in old:
        each.touch()
    with mounted(old[1], "--bind", str(old[1])):
        log = LogFile(path, Rotation(retention=DAY), clock)
        log.tick()
        assert log.trouble == f"{old[1]}: Device or resource busy"
        log.close()
    assert rotated(path) == [old[1]]


def test_a_pipe_in_the_place_of_the_file_is_not_taken_for_it(path: Path, clock: Clock) -> None:
    log = LogFile(path, UNBOUNDED, clock)
    moved = path.rename(path.with_suffix(".1"))
    os.mkfifo(path)
    assert log.write(lines(NOW, 0)) == 1
    assert log.trouble == f"{path}: it is no regular file any more"
    log.close()
    assert numbers(moved) == [0]


WRITER = """\
import json, sys, time
from pathlib import Path
from admission.observe.logfile import LogFile
from admission.observe.rotation import Rotation
path, who = Path(sys.argv[1]), int(sys.argv[2])
log = LogFile(path, Rotation(max_size=5_000), time.time_ns)
print("ready", flush=True)
sys.stdin.readline()
for number in range(300):
    text = json.dumps({"time": "2026-01-01T00:00:00.000Z", "n": who * 1_000 + number, "x": "x" * 50})
    assert log.write([text.encode() + b"\\n"] * 2) == 2
log.close()
"""


def test_several_processes_lose_and_spoil_no_line(path: Path) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), str(who)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for who in range(3)
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate()
        assert writer.returncode == 0
    assert len(rotated(path)) > 10
    expected = sorted(who * 1_000 + number for who in range(3) for number in range(300))
    assert sorted(numbers(*rotated(path), path)) == sorted(expected * 2)
    assert all(each.stat().st_size <= 5_000 for each in path.parent.iterdir())


# --- room ---


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """No file of this process gets larger: the system cuts a write off there, and refuses the next."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_what_has_no_room_is_lost_and_the_log_goes_on_when_there_is_some(path: Path, clock: Clock) -> None:
    log = LogFile(path, UNBOUNDED, clock)
    with room_for(250):
        assert log.write(lines(NOW, 0, 1, 2, 3)) == 2
        assert log.trouble == "File too large"
        assert log.write(lines(NOW, 4)) == 0
    assert log.write(lines(NOW, 5)) == 1
    assert log.trouble == ""
    log.close()
    whole = [line for line in path.read_bytes().splitlines() if line.endswith(b"}")]
    assert [json.loads(line)["n"] for line in whole] == [0, 1, 5]
    assert path.read_bytes().count(b"\n") == 4, "half a line has a line of its own, and there is no empty one"


@contextmanager
def mounted(at: Path, *how: str) -> Iterator[None]:
    """Something is mounted there."""
    mount = subprocess.run(["mount", *how, str(at)], check=False, capture_output=True, text=True)
    if mount.returncode:
        pytest.skip(f"nothing can be mounted here: {mount.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", at], check=True)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    with mounted(disk, "-t", "tmpfs", "-o", "size=64k", "tmpfs"):
        yield disk


def test_a_full_disk_costs_lines_and_room_brings_them_back(small_disk: Path, clock: Clock) -> None:
    path, ballast = small_disk / "decisions.jsonl", small_disk / "ballast"
    ballast.write_bytes(b"x" * 56 * 1024)
    log = LogFile(path, UNBOUNDED, clock)
    taken = [log.write(lines(NOW, number)) for number in range(200)]
    assert 0 < sum(taken) < 200
    assert log.trouble == "No space left on device"
    ballast.unlink()
    assert log.write(lines(NOW, 200)) == 1
    log.close()
    whole = [json.loads(line)["n"] for line in path.read_bytes().splitlines() if line.endswith(b"}")]
    assert whole == [number for number, count in enumerate(taken) if count] + [200]


def test_a_file_is_rotated_on_a_full_disk_and_the_total_makes_room(small_disk: Path, clock: Clock) -> None:
    path = small_disk / "decisions.jsonl"
    (small_disk / "ballast").write_bytes(b"x" * 32 * 1024)
    log = LogFile(path, Rotation(max_size=8_000, max_total=24_000), clock)
    taken = [log.write(lines(NOW, number)) for number in range(1_000)]
    log.close()
    assert taken == [1] * 1_000


# --- half lines ---


def test_half_a_line_of_a_process_that_was_killed_is_ended(path: Path, clock: Clock) -> None:
    path.write_bytes(lines(NOW, 0)[0] + b'{"time": "2026-01-01T00:00:00.123Z", "n"')
    log = LogFile(path, UNBOUNDED, clock)
    log.write(lines(NOW, 2))
    log.write(lines(NOW, 3))
    log.close()
    first, half, *rest = path.read_bytes().splitlines()
    assert [json.loads(line)["n"] for line in (first, *rest)] == [0, 2, 3]
    assert half == b'{"time": "2026-01-01T00:00:00.123Z", "n"'


def test_half_a_line_that_another_process_leaves_later_is_ended_too(path: Path, clock: Clock) -> None:
    log = LogFile(path, UNBOUNDED, clock)
    log.write(lines(NOW, 0))
    with path.open("ab") as other:
        other.write(b"half a li")
    log.write(lines(NOW, 1))
    log.close()
    assert path.read_bytes() == lines(NOW, 0)[0] + b"half a li\n" + lines(NOW, 1)[0]


EVENTS = st.lists(st.sampled_from(["write", "write many", "move", "tear", "restart", "hour", "tick"]), max_size=40)


@settings(max_examples=EXAMPLES or 60)
@given(EVENTS)
def test_whatever_happens_to_the_file_every_line_is_somewhere_once_and_whole(events: list[str]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        path, clock, written, torn = Path(directory) / "decisions.jsonl", Clock(), 0, 0
        rotation = Rotation(max_size=450, max_age=3 * HOUR)
        log = LogFile(path, rotation, clock)
        for number, event in enumerate(events):
            match event:
                case "write" | "write many":
                    count = 1 if event == "write" else 3
                    assert log.write(lines(clock.now, *range(written, written + count))) == count
                    written += count
                case "move":
                    path.rename(path.with_name(f"moved-{number}"))
                    log.write([])
                case "tear":
                    with path.open("ab") as file:
                        torn += file.write(b"{")
                case "restart":
                    log.close()
                    log = LogFile(path, rotation, clock)
                case "hour":
                    clock.now += HOUR
                case _:
                    log.tick()
            assert log.trouble == ""
        log.close()
        found = [line for file in path.parent.iterdir() for line in file.read_bytes().splitlines()]
    whole = [json.loads(line)["n"] for line in found if line.endswith(b"}")]
    assert sorted(whole) == list(range(written))
    assert sum(line.count(b"{") for line in found) - len(whole) == torn


# --- what is opened ---


def test_a_file_is_made_for_its_owner_and_group(path: Path, clock: Clock) -> None:
    sink = log_sink(path, UNBOUNDED, clock)
    assert isinstance(sink, LogFile)
    sink.close()
    assert path.stat().st_mode & 0o137 == 0


@pytest.mark.parametrize("name", ["/dev/null", "/dev/full", "/dev/stderr"])
def test_a_device_is_never_rotated(name: str, clock: Clock) -> None:
    sink = log_sink(Path(name), Rotation(max_size=1, max_age=1), clock)
    assert isinstance(sink, DescriptorSink)
    sink.close()


def test_a_pipe_is_never_rotated(tmp_path: Path, clock: Clock) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    sink = log_sink(pipe, Rotation(max_size=1), clock)
    assert sink.write(lines(NOW, 1)) + sink.write(lines(NOW + SECOND, 2)) == 2
    sink.tick()
    sink.close()
    assert len(os.read(reading, 1_000)) == 200
    os.close(reading)
    assert list(tmp_path.iterdir()) == [pipe]


@pytest.mark.parametrize("name", ["missing/decisions.jsonl", "."])
def test_what_cannot_be_opened_is_an_error_at_start(tmp_path: Path, name: str, clock: Clock) -> None:
    with pytest.raises(OSError, match=r"No such file|Is a directory"):
        log_sink(tmp_path / name, UNBOUNDED, clock)
