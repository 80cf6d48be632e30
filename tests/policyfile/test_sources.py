"""Where policies are read from."""

from pathlib import Path

import pytest

from admission.policyfile.sources import files_on_disk


@pytest.mark.parametrize("source", ["-", "preset:volcano-job-conditions", "preset:none"])
def test_what_comes_with_the_program_or_through_a_pipe_never_changes(source: str) -> None:
    assert files_on_disk([source]) == []


def test_a_directory_changes_with_itself_and_with_each_of_its_policies(tmp_path: Path) -> None:
    for name in ("b.yaml", "a.json", "a.suite.yaml", "README.md", ".hidden.yaml"):
        (tmp_path / name).write_text("a: 1")
    assert files_on_disk([str(tmp_path)]) == [tmp_path, tmp_path / "a.json", tmp_path / "b.yaml"]


@pytest.mark.parametrize("name", ["p.yaml", "none.yaml", "loop.yaml", "a\0b"])
def test_a_file_stands_for_itself_whatever_is_wrong_with_it(tmp_path: Path, name: str) -> None:
    (tmp_path / "p.yaml").write_text("a: 1")
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    assert files_on_disk([f"{tmp_path}/{name}"]) == [tmp_path / name]


def test_a_directory_without_policies_is_watched_for_the_first_one(tmp_path: Path) -> None:
    assert files_on_disk([tmp_path]) == [tmp_path]
