"""Files are checked as a whole: policies together, suites by themselves."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from admission.errors import StatuscapError
from admission.offline.checkup import Checkup, check_files
from tests.offline.samples import POLICY, SUITE, WIDGET, bent, written


def check(*sources: Any, stdin: bytes = b"") -> Checkup:
    return check_files([str(source) for source in sources], io.BytesIO(stdin))


def test_what_is_right_has_nothing_to_say(tmp_path: Path) -> None:
    written(tmp_path, "p.yaml", POLICY)
    written(tmp_path, "p.suite.yaml", bent(SUITE, "policies", to=["p.yaml"]))
    (tmp_path / "called-otherwise.yaml").write_text(yaml.safe_dump(SUITE))
    checkup = check(tmp_path)
    assert checkup.clean
    assert (checkup.policies, checkup.suites) == (1, 2)


def test_a_directory_is_checked_with_the_policies_and_suites_below_it(tmp_path: Path) -> None:
    (tmp_path / "deep" / "deeper").mkdir(parents=True)
    (tmp_path / "deep" / ".hidden").mkdir()
    (tmp_path / "linked").symlink_to(".")
    written(tmp_path, "p.yaml", POLICY)
    written(tmp_path / "deep", "object.yaml", WIDGET)
    written(tmp_path / "deep", "mounted.yaml", f"kind: ConfigMap\ndata:\n  p.yaml: |\n    {json.dumps(POLICY)}\n")
    written(tmp_path / "deep" / "deeper", "p.suite.yaml", SUITE)
    written(tmp_path / "deep" / ".hidden", "q.yaml", bent(POLICY, "spec", "mod", to=1))
    checkup = check(tmp_path)
    assert (checkup.policies, checkup.suites, checkup.problems) == (1, 1, ())


@pytest.mark.parametrize("write", [yaml.safe_dump, json.dumps, lambda policy: json.dumps(policy, indent=2)])
@pytest.mark.parametrize("broken", [bent(POLICY, "spec", "mod", to=1), bent(POLICY, "kind", to="StatusPolcy")])
def test_what_is_wrong_in_a_file_below_is_told(tmp_path: Path, broken: Any, write: Callable[[Any], str]) -> None:
    (tmp_path / "deep").mkdir()
    written(tmp_path, "p.yaml", POLICY)
    file = written(tmp_path / "deep", "q.yaml", write(broken))
    assert {problem.file for problem in check(tmp_path).problems} == {str(file)}


def test_what_cannot_be_read_below_is_told(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "q.yaml").symlink_to("nowhere.yaml")
    (problem,) = check(tmp_path).problems
    assert (problem.file, problem.message) == (
        f"{tmp_path}/deep/q.yaml",
        "cannot be read: it is a link to nowhere.yaml, which does not exist",
    )


def test_a_mounted_config_map_is_checked_once(tmp_path: Path) -> None:
    (tmp_path / "..2026").mkdir()
    written(tmp_path / "..2026", "p.yaml", POLICY)
    (tmp_path / "..data").symlink_to("..2026")
    (tmp_path / "p.yaml").symlink_to(Path("..data") / "p.yaml")
    checkup = check(tmp_path)
    assert (checkup.policies, checkup.problems) == (1, ())


def test_a_suite_that_is_named_beside_its_directory_is_counted_once(tmp_path: Path) -> None:
    file = written(tmp_path, "s.suite.yaml", SUITE)
    assert check(file, tmp_path).suites == 1


def test_a_problem_of_a_policy_is_told_once_though_a_suite_refers_to_it(tmp_path: Path) -> None:
    written(tmp_path, "p.yaml", bent(POLICY, "spec", "mod", to=1))
    written(tmp_path, "p.suite.yaml", bent(SUITE, "policies", to=["p.yaml"]))
    (problem,) = check(tmp_path).problems
    assert (Path(problem.file).name, problem.path) == ("p.yaml", "spec.mod")


def test_policies_are_checked_together(tmp_path: Path) -> None:
    files = [written(tmp_path, name, POLICY) for name in ("a.yaml", "b.yaml")]
    assert check(files[0]).clean
    assert "two-conditions" in str(check(*files).problems)


def test_a_problem_of_a_suite_is_told(tmp_path: Path) -> None:
    file = written(tmp_path, "s.suite.yaml", bent(SUITE, "cases", 0, "nme", to="x"))
    assert [problem.path for problem in check(file).problems] == ["cases[0].nme"]


def test_a_link_to_nothing_is_a_problem_of_its_directory(tmp_path: Path) -> None:
    written(tmp_path, "p.yaml", POLICY)
    (tmp_path / "q.yaml").symlink_to("nowhere.yaml")
    (tmp_path / "r.suite.yaml").symlink_to("nowhere.yaml")
    checkup = check(tmp_path)
    assert checkup.policies == 1
    assert [problem.message for problem in checkup.problems] == [
        "cannot be read: it is a link to nowhere.yaml, which does not exist"
    ] * 2


def test_reads_the_standard_input() -> None:
    assert check("-", stdin=json.dumps(POLICY).encode()).policies == 1


@pytest.mark.parametrize(("name", "message"), [("none", "No such file"), (".", "neither a policy nor a suite")])
def test_says_when_there_is_nothing_to_check(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(StatuscapError, match=message):
        check(tmp_path / name)
