"""``statuscap test``: suites pass or show why not."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import Command
from tests.cli.terminal import on_terminal
from tests.crd.sample import STATUS, crd, version
from tests.offline.samples import SUITE, TRIMMED, bent, written

FAILING = bent(SUITE, "cases", 0, "expect", "status", to={**TRIMMED, "phase": "Failed"})


def test_a_line_a_case_and_a_summary_at_the_end(command: Command, tmp_path: Path) -> None:
    file = written(tmp_path, "s.suite.yaml", SUITE)
    result = command("test", file)
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines() == [str(file), "  ✓ the oldest condition goes", "1 passed, 0 failed"]


def test_a_failing_case_shows_the_difference(command: Command, tmp_path: Path) -> None:
    file = written(tmp_path, "s.suite.yaml", FAILING)
    result = command("test", file)
    lines = result.out.splitlines()
    assert (result.code, lines[-1]) == (1, "0 passed, 1 failed")
    assert lines[1].startswith("  ✗ the oldest condition goes")
    assert f"{file}:" in lines[1]
    assert {"      -phase: Failed", "      +phase: Ready"} <= set(lines)


def test_a_difference_has_colours_where_they_are_wanted(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    out = command("test", written(tmp_path, "s.suite.yaml", FAILING)).out
    assert "\x1b[31m-phase: Failed" in out
    assert "\x1b[32m+phase: Ready" in out


def test_a_folder_of_suites(command: Command, tmp_path: Path) -> None:
    written(tmp_path, "a.suite.yaml", SUITE)
    written(tmp_path, "b.suite.yaml", FAILING)
    result = command("test", tmp_path)
    assert (result.code, result.out.splitlines()[-1]) == (1, "1 passed, 1 failed")


def test_a_suite_that_cannot_be_read_fails_at_its_line(command: Command, tmp_path: Path) -> None:
    file = written(tmp_path, "s.suite.yaml", bent(SUITE, "cases", 0, "expct", to={}))
    result = command("test", file)
    assert (result.code, result.err, result.out.splitlines()[-1]) == (1, "", "0 passed, 1 failed")
    assert 'did you mean "expect"?' in result.out


@pytest.mark.parametrize(("beside", "suite"), [(False, "NAME.suite.yaml"), (True, "policy.suite.yaml")])
def test_a_policy_is_one_mistake_in_one_line(
    command: Command, monkeypatch: pytest.MonkeyPatch, policy: Path, *, beside: bool, suite: str
) -> None:
    monkeypatch.chdir(policy.parent)
    if beside:
        written(policy.parent, suite, SUITE)
    result = command("test", policy.name)
    assert (result.code, result.err) == (1, "")
    assert result.out.splitlines() == [
        f"policy.yaml:1: this is a StatusPolicy; name its suite ({suite})",
        "0 passed, 1 failed",
    ]


def test_a_narrow_terminal_gets_lines_that_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, "s.suite.yaml", bent(SUITE, "cases", 0, "name", to="the oldest of many conditions goes " * 4))
    monkeypatch.chdir(tmp_path)
    lines = on_terminal(80, "test", Path(__file__).parents[2] / "policies", "s.suite.yaml").lines
    assert max(map(len, lines)) <= 80
    assert ("the oldest of many conditions goes " * 4).strip() in " ".join(" ".join(lines).split())


def test_results_as_json(command: Command, tmp_path: Path) -> None:
    written(tmp_path, "a.suite.yaml", SUITE)
    written(tmp_path, "b.suite.yaml", FAILING)
    result = command("test", tmp_path, "-o", "json")
    told = json.loads(result.out)
    assert (result.code, told["passed"], told["failed"]) == (1, 1, 1)
    assert [case["passed"] for case in told["cases"]] == [True, False]
    assert told["cases"][1]["failures"][0]["what"] == "status"


def test_a_schema_that_says_nothing_is_told(command: Command, tmp_path: Path) -> None:
    file = written(tmp_path, "s.suite.yaml", {**SUITE, "schema": {"type": "object"}})
    lines = command("test", file).out.splitlines()
    assert lines[1].startswith("  schema: says nothing")
    assert lines[-1] == "1 passed, 0 failed"
    (remark,) = json.loads(command("test", file, "-o", "json").out)["remarks"]
    assert remark["file"] == str(file)
    assert remark["message"].startswith("schema: says nothing")


def test_results_as_junit(command: Command, tmp_path: Path) -> None:
    result = command("test", written(tmp_path, "s.suite.yaml", FAILING), "-o", "junit")
    root = ElementTree.fromstring(result.out)
    assert (result.code, root.get("tests"), root.get("failures")) == (1, "1", "1")


def test_the_policies_that_ship_pass_their_suites(command: Command) -> None:
    from admission.policyfile.presets import presets_directory

    result = command("test", presets_directory())
    assert result.code == 0, result.out


def test_crds_are_known_to_suites_without_a_schema(command: Command, tmp_path: Path) -> None:
    file = written(tmp_path, "s.suite.yaml", SUITE)
    schema = bent(STATUS, "properties", "conditions", "minItems", to=3)
    crds = written(tmp_path, "crd.yaml", crd(version(status=schema)))
    assert command("test", file).code == 0
    assert command("test", file, "--crds", crds).out.splitlines()[-1] == "0 passed, 1 failed"


def test_crds_that_cannot_be_read_are_a_usage_error(command: Command, tmp_path: Path) -> None:
    file = written(tmp_path, "s.suite.yaml", SUITE)
    result = command("test", file, "--crds", tmp_path / "none")
    assert (result.code, result.err) == (2, f"{tmp_path}/none: cannot be read: No such file or directory\n")
