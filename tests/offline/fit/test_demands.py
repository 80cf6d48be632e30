"""What a schema demands that a step would break: each message word for word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.crd.sample import STATUS, crd, version
from tests.offline.fit.holding import held, note, policy, problem
from tests.offline.samples import bent

NOTHING = "so fitSchema does nothing there: leave the path out"
V1 = "widgets.example.com (v1)"


def cut(path: str, most: int = 100) -> dict[str, Any]:
    return {"truncate": {"paths": [path], "maxBytes": most}}


def drop(path: str) -> dict[str, Any]:
    return {"drop": {"paths": [path]}}


def fitting(*paths: str) -> dict[str, Any]:
    return {"fitSchema": {"paths": [*paths]} if paths else {}}


@pytest.mark.parametrize(
    ("step", "told"),
    [
        pytest.param(
            drop("status.phase"),
            f"drop.paths[0]: status.phase is required in {V1}; without it the API server refuses the write, so drop "
            "leaves it: leave the path out",
            id="a required field",
        ),
        pytest.param(
            drop("status.history[0].id"),
            f"drop.paths[0]: status.history[0].id tells the items of status.history apart in {V1}; drop leaves it as "
            "it is: leave the path out",
            id="the key of a list",
        ),
        pytest.param(
            cut("status.history[*].id"),
            f"truncate.paths[0]: status.history[*].id tells the items of status.history apart in {V1}; truncate leaves "
            "it as it is: leave the path out",
            id="a cut key of a list",
        ),
        pytest.param(
            cut("status.tags[*]"),
            f"truncate.paths[0]: status.tags[*] tells the items of status.tags apart in {V1}; truncate leaves it as it "
            "is: leave the path out",
            id="a cut item of a set",
        ),
        pytest.param(
            cut("status.digest"),
            f"truncate.paths[0]: status.digest has a pattern in {V1}, which a cut text would not meet, so truncate "
            "leaves it: leave the path out",
            id="a pattern",
        ),
        pytest.param(
            cut("status.conditions[*].lastTransitionTime"),
            f"truncate.paths[0]: status.conditions[*].lastTransitionTime has a format in {V1}, which a cut text would "
            "not meet, so truncate leaves it: leave the path out",
            id="a format",
        ),
        pytest.param(
            cut("status.message", 99),
            f"truncate.paths[0]: status.message has at least 100 characters in {V1}; with maxBytes: 99 it is never "
            "short enough",
            id="a least length",
        ),
        pytest.param(
            {"capList": {"path": "status.history", "max": 2, "order": "NewestLast"}},
            f"capList.path: status.history has at least 3 items in {V1}, so max: 2 is never reached; write 3 or more",
            id="a least number of items",
        ),
        pytest.param(
            fitting("status.phase"),
            f"fitSchema.paths[0]: status.phase has no maxLength in {V1}, {NOTHING}",
            id="a text that may have any length",
        ),
        pytest.param(
            fitting("status.conditions"),
            f"fitSchema.paths[0]: status.conditions has no maxItems in {V1}, {NOTHING}",
            id="a list that may have any length",
        ),
        pytest.param(
            fitting("status.digest"),
            f"fitSchema.paths[0]: status.digest has a pattern in {V1}, which a cut text would not meet, so fitSchema "
            "leaves it: leave the path out",
            id="a pattern that is not fitted",
        ),
        pytest.param(
            fitting("status.history[*].id"),
            f"fitSchema.paths[0]: status.history[*].id tells the items of status.history apart in {V1}; fitSchema "
            "leaves it as it is: leave the path out",
            id="a key that is not fitted",
        ),
    ],
)
def test_a_step_that_never_does_its_work_is_a_problem(tmp_path: Path, step: dict[str, Any], told: str) -> None:
    assert problem(tmp_path, policy(step)) == f"spec.trim[0].{told}"


@pytest.mark.parametrize(
    "step",
    [
        cut("status.message", 100),
        {"capList": {"path": "status.history", "max": 3, "order": "NewestLast"}},
        drop("status.history[*].log"),
        fitting("status.conditions[*].message"),
        fitting(),
    ],
    ids=[
        "at the least length",
        "at the least number",
        "what is not required",
        "what is limited",
        "all that is limited",
    ],
)
def test_what_the_schema_allows_is_not_said(tmp_path: Path, step: dict[str, Any]) -> None:
    assert held(tmp_path, policy(step)) == ([], [])


@pytest.mark.parametrize("word", ["allOf", "anyOf"])
def test_what_is_demanded_by_parts_counts_too(tmp_path: Path, word: str) -> None:
    status = bent(STATUS, "properties", "message", to={"type": "string", word: [{"minLength": 200}, {"pattern": "^a"}]})
    told = problem(tmp_path, policy(cut("status.message")), crd(version(status=status)))
    assert f"status.message has a form in {V1}, which a cut text would not meet" in told


def test_a_map_with_a_least_number_of_entries_is_never_capped_below(tmp_path: Path) -> None:
    nodes = {"type": "object", "minProperties": 4, "additionalProperties": {"type": "string"}}
    document = policy({"capMap": {"path": "status.nodes", "max": 3}})
    told = problem(tmp_path, document, crd(version(status=bent(STATUS, "properties", "nodes", to=nodes))))
    assert told == (
        f"spec.trim[0].capMap.path: status.nodes has at least 4 entries in {V1}, so max: 3 is never reached; "
        "write 4 or more"
    )


@pytest.mark.parametrize(
    ("step", "least", "noun"),
    [
        ("capList", {"type": "array", "minItems": 1, "items": {"type": "string"}}, "item"),
        ("capMap", {"type": "object", "minProperties": 1, "additionalProperties": {"type": "string"}}, "entry"),
    ],
)
def test_one_is_told_as_one(tmp_path: Path, step: str, least: dict[str, Any], noun: str) -> None:
    order = {"order": "NewestLast"} if step == "capList" else {}
    document = policy({step: {"path": "status.things", "max": 0} | order})
    told = problem(tmp_path, document, crd(version(status=bent(STATUS, "properties", "things", to=least))))
    assert f"status.things has at least 1 {noun} in {V1}" in told


def test_what_expires_down_to_a_least_number_is_noted(tmp_path: Path) -> None:
    told = note(tmp_path, policy({"expire": {"path": "status.history", "olderThan": "1h", "timeFields": ["at"]}}))
    left = "so as many stay however old they are"
    assert told == f"spec.trim[0].expire.path: status.history has at least 3 items in {V1}, {left}"


def test_an_enum_is_never_cut(tmp_path: Path) -> None:
    status = bent(STATUS, "properties", "phase", to={"type": "string", "enum": ["Done", "Running"]})
    told = problem(tmp_path, policy(cut("status.phase")), crd(version(status=status)))
    assert told.startswith(f"spec.trim[0].truncate.paths[0]: status.phase has an enum in {V1}")
