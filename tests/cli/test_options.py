"""What shared flags mean."""

import io
import time
from pathlib import Path

import pytest
import typer

from admission.cli.options import load, time_or_now
from admission.errors import PolicyError
from tests.offline.samples import POLICY, bent, written


def test_policies_come_from_files_directories_and_presets(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    written(tmp_path / "folder", "a.yaml", POLICY)
    other = written(tmp_path, "b.yaml", bent(POLICY, "metadata", "name", to="other"))
    loaded = load([str(tmp_path / "folder"), str(other), "preset:volcano-job-conditions"])
    assert {policy.name for policy in loaded.policies} == {"two-conditions", "other", "volcano-job-conditions"}


def test_policies_come_from_the_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = written(tmp_path, "p.yaml", POLICY).read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert [policy.name for policy in load(["-"]).policies] == ["two-conditions"]


def test_what_is_wrong_in_all_files_is_told_at_once(tmp_path: Path) -> None:
    files = [written(tmp_path, name, bent(POLICY, "spec", "mod", to=1)) for name in ("a.yaml", "b.yaml")]
    with pytest.raises(PolicyError) as caught:
        load([str(file) for file in files])
    assert {problem.file for problem in caught.value.problems} >= {str(file) for file in files}


def test_a_time_is_read_and_without_one_it_is_now() -> None:
    assert time_or_now("2026-01-01T00:00:00Z") == 1_767_225_600_000_000_000
    before = time.time_ns()
    assert before <= time_or_now(None) <= time.time_ns()


def test_what_is_no_time_is_refused() -> None:
    with pytest.raises(typer.BadParameter, match="'noon' is no time; write for example 2026-01-01T00:00:00Z"):
        time_or_now("noon")
