"""Every case of the language's suites holds, and every step has a suite."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from admission.engine.steps import STEPS
from admission.offline.case import Case
from admission.offline.suitefile import Suite
from tests.cases.asparameters import assert_passes, cases_of, names_of, stem, suites_in

HERE: Final = Path(__file__).resolve().parent
SUITES: Final = suites_in(HERE)
CASES: Final = cases_of(SUITES)


@pytest.mark.parametrize(("suite", "case"), CASES, ids=names_of(CASES))
def test_the_case_holds(suite: Suite, case: Case) -> None:
    assert_passes(suite, case)


@pytest.mark.parametrize("kind", [step.kind for step in STEPS])
def test_every_step_has_a_suite(kind: str) -> None:
    file = re.sub(r"(?=[A-Z])", "-", kind).lower()  # capList → cap-list
    suite = next((each for each in SUITES if stem(each) == file), None)
    assert suite is not None, f"write tests/cases/{file}.suite.yaml"
    used = {entry.step.kind for policy in suite.policies.policies for entry in policy.trim}
    assert kind in used


@pytest.mark.parametrize("suite", SUITES, ids=stem)
def test_no_two_cases_of_a_suite_have_one_name(suite: Suite) -> None:
    names = [case.name for case in suite.cases]
    assert sorted(names) == sorted(set(names))


def test_every_object_file_is_used() -> None:
    texts = "".join(Path(suite.file).read_text() for suite in SUITES)
    assert [file.name for file in (HERE / "data").iterdir() if f"data/{file.name}" not in texts] == []
