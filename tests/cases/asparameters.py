"""The cases of suite files as parameters of one test, each under its own name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pytest

from admission.offline.case import Case, run_case
from admission.offline.suite import find_suites
from admission.offline.suitefile import Suite, load_suites
from admission.policyfile.presets import SUITE_SUFFIX

NOW: Final = 1_772_452_800_000_000_000
"""2026-03-02T12:00:00Z, for cases that name no time."""


def suites_in(directory: Path) -> list[Suite]:
    """Every suite below a directory."""
    return [suite for file in find_suites([str(directory)]) for suite in load_suites(file, NOW)]


def stem(suite: Suite) -> str:
    """``cap-list`` of ``cap-list.suite.yaml``."""
    return Path(suite.file).name.removesuffix(SUITE_SUFFIX)


def cases_of(suites: Iterable[Suite]) -> list[tuple[Suite, Case]]:
    """Every case beside its suite."""
    return [(suite, case) for suite in suites for case in suite.cases]


def names_of(cases: Iterable[tuple[Suite, Case]]) -> list[str]:
    """What the tests of cases are called."""
    return [f"{stem(suite)}: {case.name}" for suite, case in cases]


def assert_passes(suite: Suite, case: Case) -> None:
    """Run a case as ``statuscap test`` does; what fails is shown with its diff."""
    failures = run_case(case, suite.policies).failures
    if failures:
        pytest.fail("\n".join((case.source, *map(str, failures))), pytrace=False)
