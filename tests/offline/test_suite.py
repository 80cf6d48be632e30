"""Suites are found among files and directories, and every file has its result."""

from pathlib import Path

import pytest

from admission.engine.schema import Schema, Schemas
from admission.errors import StatuscapError
from admission.offline.suite import find_suites, run_file
from admission.offline.suitefile import SCHEMA_SAYS_NOTHING
from tests.offline.rehearsing import result
from tests.offline.samples import POLICY, SUITE, bent, written


def test_a_file_that_cannot_be_read_is_a_failed_case(tmp_path: Path) -> None:
    only = result(tmp_path, bent(SUITE, "kinds", to=1))
    assert not only.passed
    assert only.source.startswith(f"{tmp_path}/s.suite.yaml:")


def test_finds_suites_by_name_and_by_kind(tmp_path: Path) -> None:
    (tmp_path / "deep" / ".hidden").mkdir(parents=True)
    expected = [
        written(tmp_path, "a.suite.yaml", SUITE),
        written(tmp_path, "b.yaml", "apiVersion: statuscap.dev/v1alpha1\nkind: Suite # of two\n"),
        written(tmp_path / "deep", "c.suite.yaml", SUITE),
    ]
    written(tmp_path, "policy.yaml", POLICY)
    written(tmp_path, "notes.txt", "kind: Suite")
    written(tmp_path / "deep" / ".hidden", "d.suite.yaml", SUITE)
    assert find_suites([str(tmp_path)]) == expected
    assert find_suites([str(expected[0]), str(tmp_path)]) == expected


@pytest.mark.parametrize(("name", "message"), [("none", "No such file"), (".", "there is no suite in it")])
def test_says_when_there_is_nothing_to_run(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(StatuscapError, match=message):
        find_suites([str(tmp_path / name)])


def test_a_schema_without_a_word_on_the_status_is_remarked_once_a_suite(tmp_path: Path) -> None:
    given = {**SUITE, "schema": {"type": "object"}, "cases": SUITE["cases"] * 2}
    ran = run_file(written(tmp_path, "s.suite.yaml", given, given, SUITE), now=0)
    assert ran.remarks == (SCHEMA_SAYS_NOTHING, SCHEMA_SAYS_NOTHING)
    assert [case.passed for case in ran.cases] == [True] * 5


def keeping(least: int) -> Schema:
    return Schema(properties={"status": Schema(properties={"conditions": Schema(min_items=least)})})


def test_a_suite_without_a_schema_knows_what_it_is_told(tmp_path: Path) -> None:
    known = Schemas({("example.com", "v1", "widgets"): keeping(3)})
    without = written(tmp_path, "without.suite.yaml", SUITE)
    own = written(tmp_path, "own.suite.yaml", {**SUITE, "schema": {"properties": {"status": {"properties": {}}}}})
    assert [case.passed for case in run_file(without, 0).cases] == [True]
    assert [case.passed for case in run_file(without, 0, known).cases] == [False]
    assert [case.passed for case in run_file(own, 0, known).cases] == [True]
