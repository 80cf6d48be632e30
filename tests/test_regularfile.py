"""What a name may lead to: a regular file, never something that could keep the reader waiting."""

import os
import socket
from pathlib import Path

import pytest

from admission.errors import FileError
from admission.regularfile import is_directory, read


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with one of everything; it is the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_bytes(b"12345")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "directory").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket")
    return tmp_path


@pytest.mark.parametrize("name", ["file", "link", Path("file")])
def test_a_file_is_read_whole(folder: Path, name: str | Path) -> None:
    assert read(name, limit=5) == b"12345"
    assert not is_directory(name)


def test_a_directory_is_one(folder: Path) -> None:
    assert is_directory(folder)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("none", "No such file or directory"),
        ("file/below", "Not a directory"),
        ("loop", "it is a link that leads to itself"),
        ("dangling", "it is a link to nowhere, which does not exist"),
        ("pipe", "it is a pipe; name a file, or pass it as the standard input"),
        ("socket", "it is a socket; name a file"),
        ("/dev/zero", "it is a device; name a file"),
        ("x" * 300, "File name too long"),
    ],
)
def test_what_is_no_file_is_told(folder: Path, name: str, reason: str) -> None:
    for look in (lambda: read(name, limit=5), lambda: is_directory(name)):
        with pytest.raises(FileError) as caught:
            look()
        assert (caught.value.name, caught.value.reason) == (name, reason)
        assert str(caught.value) == f"{name}: cannot be read: {reason}"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("", '"": cannot be read: the name is empty; name a file'),
        ("a\0b", r"'a\x00b': cannot be read: no file can have this name"),
        ("\ud800", r"'\ud800': cannot be read: no file can have this name"),
        ("directory", "directory: cannot be read: it is a directory; name a file"),
        ("/proc/self/mem", "/proc/self/mem: cannot be read: Input/output error"),
    ],
)
def test_what_cannot_be_read_is_told_in_one_line(folder: Path, name: str, told: str) -> None:
    with pytest.raises(FileError) as caught:
        read(name, limit=5)
    assert str(caught.value) == told


def test_a_file_has_a_bound(folder: Path) -> None:
    with pytest.raises(FileError, match="file: cannot be read: it is larger than 4 bytes"):
        read("file", limit=4)


def test_a_pipe_that_the_shell_has_opened_is_read() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"from a command")
    os.close(writing)
    try:
        assert read(f"/dev/fd/{reading}", 100) == b"from a command"
    finally:
        os.close(reading)
