"""Files of policies and suites, as bytes."""

import io
from pathlib import Path

import pytest

from admission.errors import PolicyError
from admission.policyfile.files import MAX_FILE_BYTES, read_bytes, read_stream, yaml_files, yaml_files_below
from tests.policyfile.unprivileged import unprivileged


def test_a_file_has_a_bound(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_bytes(b"#" * MAX_FILE_BYTES)
    assert len(read_bytes(path)) == MAX_FILE_BYTES
    path.write_bytes(b"#" * (MAX_FILE_BYTES + 1))
    with pytest.raises(PolicyError) as caught:
        read_bytes(path)
    assert str(caught.value) == f"{path}: cannot be read: it is larger than 1048576 bytes"


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=r"none\.yaml: cannot be read: No such file or directory"):
        read_bytes(tmp_path / "none.yaml")
    with pytest.raises(PolicyError, match="cannot be read: it is a directory"):
        read_bytes(tmp_path)
    with pytest.raises(PolicyError, match="cannot be read"):
        yaml_files(tmp_path / "none")


def test_a_stream_may_hold_text_or_bytes() -> None:
    assert read_stream(io.BytesIO("ä".encode())) == read_stream(io.StringIO("ä")) == "ä".encode()
    with pytest.raises(PolicyError, match="<stdin>: cannot be read: it is larger than 3 bytes"):
        read_stream(io.StringIO("ääää"), limit=3)
    with pytest.raises(PolicyError, match="<stdin>: cannot be read"):
        read_stream(io.TextIOWrapper(io.BytesIO(b"\xff"), encoding="utf-8"))


def test_a_directory_stands_for_its_own_visible_files(tmp_path: Path) -> None:
    for name in ("b.yaml", "a.yml", "c.json", "README.md", ".hidden.yaml"):
        (tmp_path / name).write_text("a: 1")
    for name in ("..data", "sub", "folder.yaml"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "inside.yaml").write_text("a: 1")
    (tmp_path / "linked.yaml").symlink_to(Path("..data") / "inside.yaml")
    assert [path.name for path in yaml_files(tmp_path)] == ["a.yml", "b.yaml", "c.json", "linked.yaml"]


def test_below_a_directory_are_the_visible_files_of_its_folders(tmp_path: Path) -> None:
    for name in ("b", "a/deep", "..2026", "a/.hidden"):
        (tmp_path / name).mkdir(parents=True)
    for name in (
        "own.yaml",
        "b/z.yaml",
        "a/deep/y.json",
        "a/x.yml",
        "..2026/p.yaml",
        "a/.hidden/p.yaml",
        "b/notes.txt",
    ):
        (tmp_path / name).write_text("a: 1")
    (tmp_path / "..data").symlink_to("..2026")
    (tmp_path / "b" / "up").symlink_to("..")
    found = [str(path.relative_to(tmp_path)) for path in yaml_files_below(tmp_path)]
    assert found == ["a/x.yml", "a/deep/y.json", "b/z.yaml"]


@pytest.mark.parametrize("closed", ["a", "a/closed"])
def test_a_folder_that_nobody_may_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, closed: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a/closed").mkdir(parents=True)
    tmp_path.chmod(0o755)  # the rest of the way is open
    Path(closed).chmod(0)
    try:
        with pytest.raises(PolicyError, match=rf"^{closed}: cannot be read: Permission denied$"):
            unprivileged(lambda: list(yaml_files_below(Path("a"))))
    finally:
        Path(closed).chmod(0o700)
