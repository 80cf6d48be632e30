"""``fitSchema`` in a policy file."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.build import fit_schema
from tests.policyfile.sample import step_of, told, told_of_step, with_step

MESSAGE = "status.conditions[*].message"


@pytest.mark.parametrize(
    ("fields", "paths"),
    [
        pytest.param({}, [], id="everything"),
        pytest.param({"paths": [MESSAGE, "status.conditions"]}, [MESSAGE, "status.conditions"], id="paths"),
    ],
)
def test_becomes_that_of_the_engine(fields: Any, paths: list[str]) -> None:
    assert step_of("fitSchema", fields) == fit_schema(*paths)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        pytest.param({"paths": []}, "paths: the list is empty; write at least one entry", id="no paths"),
        pytest.param({"path": "status.x"}, 'path: unknown key; did you mean "paths"?', id="the singular"),
        pytest.param(
            {"paths": ["spec.x"]},
            "paths[0]: spec.x is outside the root; write a path below status, for example status.conditions",
            id="another root",
        ),
        pytest.param(
            {"paths": ["status.conditions[*].reason"]},
            "paths[0]: status.conditions[*].reason: machines read the reason of a condition; name another field, "
            "for example message",
            id="a protected field",
        ),
    ],
)
def test_says_what_is_wrong(fields: Any, problem: str) -> None:
    assert told_of_step("fitSchema", fields) == [problem]


def test_no_requirement_asks_for_what_it_names() -> None:
    when = [{"field": "status.message", "operator": "In", "values": ["x"]}]
    (problem,) = told(with_step("fitSchema", {"paths": ["status.message"]}, when=when))
    assert problem == (
        "spec.trim[0].when[0].field: status.message is changed by spec.trim[0].fitSchema, which could change the "
        "answer; ask for another"
    )
    assert told(with_step("fitSchema", {}, when=when)) == []
