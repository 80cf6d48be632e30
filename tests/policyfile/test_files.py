"""Files of policies and suites, as bytes."""

import io
from pathlib import Path

import pytest

from admission.errors import PolicyError
from admission.policyfile.files import MAX_FILE_BYTES, read_bytes, read_stream, yaml_files


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
