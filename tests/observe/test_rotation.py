"""When a log file gives way, to which name, and which of the old ones go."""

from __future__ import annotations

from pathlib import Path

import pytest

from admission.engine.instant import parse_time
from admission.observe.rotation import Rotated, Rotation, free_name, rotated_files

SECOND = 1_000_000_000
DAY = 24 * 3600 * SECOND
NOW = parse_time("2026-02-03T04:00:00.9Z") or 0
PATH = Path("/logs/decisions.jsonl")


@pytest.mark.parametrize(
    ("rotation", "size", "more", "age", "due"),
    [
        pytest.param(Rotation(), 10**12, 10**12, 10**18, False, id="without bounds"),
        pytest.param(Rotation(max_size=100), 90, 10, 0, False, id="just full"),
        pytest.param(Rotation(max_size=100), 90, 11, 0, True, id="too full"),
        pytest.param(Rotation(max_size=100), 0, 101, DAY, False, id="empty, for a line that is too long"),
        pytest.param(Rotation(max_age=DAY), 1, 0, DAY - 1, False, id="young"),
        pytest.param(Rotation(max_age=DAY), 1, 0, DAY, True, id="old"),
        pytest.param(Rotation(max_age=DAY), 0, 1, DAY, False, id="old and empty"),
        pytest.param(Rotation(max_age=DAY), 1, 1, -DAY, False, id="of a clock that was wrong"),
    ],
)
def test_rotates_what_is_too_large_or_too_old(rotation: Rotation, size: int, more: int, age: int, due: bool) -> None:
    assert rotation.due(size, more, age) is due


def rotated(*sizes: int) -> list[Rotated]:
    """Files that were rotated a day after one another, the last of them a day ago; named by their days of age."""
    return [Rotated(Path(f"{days}"), NOW - days * DAY, size) for days, size in enumerate(sizes, start=1)]


@pytest.mark.parametrize(
    ("rotation", "size", "gone"),
    [
        pytest.param(Rotation(), 10, [], id="for ever"),
        pytest.param(Rotation(retention=3 * DAY), 10, ["4", "5"], id="older than the retention"),
        pytest.param(Rotation(max_total=100), 40, ["4", "5"], id="more than all may take"),
        pytest.param(Rotation(max_total=100, max_size=60), 0, ["3", "4", "5"], id="what the file may come to counts"),
        pytest.param(Rotation(max_total=50, max_size=50), 50, ["1", "2", "3", "4", "5"], id="room for one"),
        pytest.param(Rotation(max_total=100, max_size=60, retention=DAY), 0, ["2", "3", "4", "5"], id="both"),
    ],
)
def test_the_oldest_go_first(rotation: Rotation, size: int, gone: list[str]) -> None:
    assert [path.name for path in rotation.outlived(rotated(20, 20, 20, 20, 20), size, NOW)] == gone


def test_nothing_younger_goes_before_something_older() -> None:
    rotation = Rotation(max_total=100)
    assert [path.name for path in rotation.outlived(rotated(50, 60, 1, 1), 0, NOW)] == ["2", "3", "4"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/logs/decisions.jsonl", "/logs/decisions-20260203T040000Z.jsonl"),
        ("/logs/decisions", "/logs/decisions-20260203T040000Z"),
        ("/logs/a.b.log", "/logs/a.b-20260203T040000Z.log"),
    ],
)
def test_a_rotated_file_is_named_by_its_time(path: str, expected: str) -> None:
    assert free_name(Path(path), [], NOW) == Path(expected)


@pytest.mark.parametrize(
    ("ahead", "stamp"),
    [
        pytest.param(-1, "20260203T040000Z", id="a second ago"),
        pytest.param(0, "20260203T040001Z", id="in this second"),
        pytest.param(60, "20260203T040101Z", id="by a clock that was set back a minute"),
        pytest.param(86_400, "20260203T040000Z", id="by a clock that was a day ahead"),
    ],
)
def test_names_sort_by_time(ahead: int, stamp: str) -> None:
    last = Rotated(PATH, NOW // SECOND * SECOND + ahead * SECOND, 1)
    assert free_name(PATH, [last], NOW).stem == f"decisions-{stamp}"


def test_a_name_that_is_taken_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    free_name(path, [], NOW).mkdir()
    assert free_name(path, [], NOW).name == "decisions-20260203T040001Z.jsonl"


def test_finds_its_own_and_nobody_elses(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    ours = tmp_path / "decisions-20260203T040000Z.jsonl"
    ours.write_bytes(b"four")
    for other in (
        "decisions.jsonl",
        "decisions-20260203T040000Z.jsonl.gz",
        "decisions-20261332T040000Z.jsonl",
        "decisions-20260203.jsonl",
        "old-decisions-20260203T040000Z.jsonl",
        "decisionsX20260203T040000Z.jsonl",
    ):
        (tmp_path / other).touch()
    (tmp_path / "decisions-20260203T050000Z.jsonl").mkdir()
    (tmp_path / "decisions-20260203T060000Z.jsonl").symlink_to(ours)
    assert rotated_files(path) == [Rotated(ours, NOW // SECOND * SECOND, 4)]
