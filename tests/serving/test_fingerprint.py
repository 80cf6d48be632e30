"""Seeing from outside that a file changed."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from admission.serving.fingerprint import Fingerprint

LATER = 1_000_000_000_000_000_000  # nanoseconds since the epoch


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file as a ConfigMap mount shows it: a link through a link."""
    mounted = tmp_path / "mounted"
    for version in ("..1", "..2"):
        (mounted / version).mkdir(parents=True)
        (mounted / version / "p.yaml").write_text("a: 1")
    (mounted / "..data").symlink_to("..1")
    (mounted / "p.yaml").symlink_to(Path("..data") / "p.yaml")
    return mounted / "p.yaml"


def swap(file: Path) -> None:
    """Do as the kubelet does: replace the link to the directory by another one, at once."""
    draft = file.parent / "..data_tmp"
    draft.symlink_to("..2")
    draft.replace(file.parent / "..data")


def replace(file: Path) -> None:
    draft = file.with_name("draft")
    draft.write_text("a: 2")
    draft.replace(file)


def grow_and_look_as_before(file: Path) -> None:
    """Write as much as was there, and set the time back."""
    found = file.stat()
    os.utime(file, ns=(LATER, LATER))
    file.write_text("a: 2")
    os.utime(file, ns=(found.st_atime_ns, found.st_mtime_ns))


def become_directory(file: Path) -> None:
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda file: file.write_text("a: 22"), id="written in place"),
        pytest.param(grow_and_look_as_before, id="as long and as old as before"),
        pytest.param(replace, id="replaced by another file"),
        pytest.param(swap, id="the directory behind it is swapped"),
        pytest.param(lambda file: file.unlink(), id="gone"),
        pytest.param(lambda file: (file.parent / "..data").unlink(), id="a link that leads nowhere"),
        pytest.param(become_directory, id="a directory in its place"),
        pytest.param(lambda file: file.chmod(0), id="rights lost"),
        pytest.param(lambda file: file.parent.rename(file.parent.with_name("elsewhere")), id="the directory is gone"),
    ],
)
def test_every_change_is_seen(file: Path, change: Callable[[Path], object]) -> None:
    before = Fingerprint.of([file])
    change(file)
    assert Fingerprint.of([file]) != before


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda file: None, id="nothing"),
        pytest.param(lambda file: file.read_text(), id="read"),
        pytest.param(lambda file: file.with_name("other").write_text("x"), id="another file beside it"),
    ],
)
def test_what_is_no_change_is_none(file: Path, change: Callable[[Path], object]) -> None:
    before = Fingerprint.of([file, file.parent])
    change(file)
    assert Fingerprint.of([file, file.parent]) == before


@pytest.mark.parametrize("name", ["none", "loop", "a\0b", "x" * 300, "none/below"])
def test_what_is_not_there_looks_like_something_too(tmp_path: Path, name: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    path = tmp_path / name
    assert Fingerprint.of([path]) == Fingerprint.of([path])
    assert Fingerprint.of([path]) != Fingerprint.of([tmp_path])


def test_changes_are_told_where_a_name_stands_and_where_it_leads(file: Path, tmp_path: Path) -> None:
    mounted = file.parent
    assert Fingerprint.of([file]).directories == {mounted, mounted / "..1"}
    assert Fingerprint.of([mounted]).directories == {mounted}
    assert Fingerprint.of([tmp_path / "none" / "p.yaml"]).directories == set()
