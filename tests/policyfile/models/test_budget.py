"""``budget`` in a policy file."""

from __future__ import annotations

from typing import Any

import pytest

from admission.engine.policy import Trim
from admission.engine.sides import Of
from admission.engine.steps import Budget, CapConditions
from admission.policyfile.jsonschema import policy_schema
from admission.policyfile.models import ACTING_MODELS
from tests.engine.build import cap_list, drop, only, truncate
from tests.policyfile.sample import bent, step_of, told, told_of_step, with_step

CUT: dict[str, Any] = {"truncate": {"paths": ["status.log"], "maxBytes": "1Ki"}}
DROP: dict[str, Any] = {"drop": {"paths": ["status.log"]}}
BUDGET: dict[str, Any] = {"maxBytes": "1Mi", "steps": [CUT]}


def test_becomes_that_of_the_engine() -> None:
    assert step_of("budget", BUDGET) == Budget(1024**2, Of.STATUS, (Trim(truncate(1024, "status.log")),))
    of_object = BUDGET | {"of": "Object", "maxBytes": 1000}
    assert step_of("budget", of_object) == Budget(1000, Of.OBJECT, (Trim(truncate(1024, "status.log")),))


def test_its_entries_are_those_of_trim() -> None:
    when = [{"field": "status.phase", "operator": "In", "values": ["Done"]}]
    made = step_of("budget", BUDGET | {"steps": [{"when": when, **DROP}, {"capConditions": {"max": 3}}]})
    assert isinstance(made, Budget)
    assert made.steps[0] == only("status.phase In Done", drop("status.log"))
    assert isinstance(made.steps[1].step, CapConditions)


@pytest.mark.parametrize(
    ("change", "problems"),
    [
        pytest.param(
            {"steps": [{"budget": BUDGET}]},
            ["steps[0]: a budget holds no other budget; write the steps of that one here"],
            id="a budget in a budget",
        ),
        pytest.param({"steps": []}, ["steps: the list is empty; write at least one entry"], id="no steps"),
        pytest.param({"steps": [{}]}, None, id="an empty entry"),
        pytest.param(
            {"steps": [CUT | DROP]},
            ["steps[0]: has 2 steps (truncate, drop); write one entry for each"],
            id="two steps in an entry",
        ),
        pytest.param(
            {"maxBytes": 0}, ["maxBytes: 0 is no positive number of bytes; write for example 32Ki"], id="nothing fits"
        ),
        pytest.param({"of": "Spec"}, ['of: "Spec" is not known; write Status or Object'], id="of something else"),
        pytest.param(
            {"steps": [{"truncat": CUT["truncate"]}]},
            ['steps[0].truncat: unknown key; did you mean "truncate"?'],
            id="a misspelt step",
        ),
    ],
)
def test_says_what_is_wrong(change: Any, problems: list[str] | None) -> None:
    found = told_of_step("budget", BUDGET | change)
    if problems is None:
        assert found == [f"steps[0]: has no step; write {', '.join([*ACTING_MODELS][:-1])} or {[*ACTING_MODELS][-1]}"]
    else:
        assert found == problems


def test_what_is_wrong_in_its_steps_is_told_where_they_stand() -> None:
    steps = [
        {"truncate": {"paths": ["spec.log"], "maxBytes": "1Ki"}},
        {"drop": {"paths": ["status.conditions"]}},
        {"capConditions": {"max": "ten"}},
    ]
    places = [problem.split(": ")[0] for problem in told_of_step("budget", BUDGET | {"steps": steps})]
    assert sorted(places) == ["steps[0].truncate.paths[0]", "steps[1].drop.paths[0]", "steps[2].capConditions.max"]


def test_a_default_path_inside_it_must_be_below_the_root_too() -> None:
    policy = bent(
        ("spec.root", "results"),
        ("spec.match.resources.0.resources", ["reports"]),
        ("spec.trim", [{"budget": BUDGET | {"steps": [{"capConditions": {"max": 3}}]}}]),
    )
    (problem,) = told(policy)
    assert problem.startswith("spec.trim[0].budget.steps[0].capConditions: path is status.conditions unless given")


@pytest.mark.parametrize("asking", ["outside", "inside"])
def test_no_requirement_asks_for_what_its_steps_change(asking: str) -> None:
    when = [{"field": "status.log", "operator": "Exists"}]
    step, beside = dict(CUT), {}
    if asking == "inside":
        step["when"] = when
    else:
        beside["when"] = when
    problems = told(with_step("budget", BUDGET | {"steps": [step]}, **beside))
    place = "spec.trim[0].budget.steps[0].when[0]" if asking == "inside" else "spec.trim[0].when[0]"
    changed = "status.log is changed by spec.trim[0].budget.steps[0].truncate, which could change the answer"
    assert problems == [f"{place}.field: {changed}; ask for another"]


def test_pins_inside_it_are_checked_like_all_others() -> None:
    pin = {"all": [{"field": "log", "operator": "Exists"}]}
    cap = {"path": "status.history", "max": 3, "order": "NewestLast", "keepWhere": [pin]}
    steps = [{"capList": cap}, {"truncate": {"paths": ["status.history[*].log"], "maxBytes": 64}}]
    (problem,) = told_of_step("budget", BUDGET | {"steps": steps})
    assert problem.startswith("steps[0].capList.keepWhere[0].all[0].field: status.history[*].log is changed by")
    step = step_of("budget", BUDGET | {"steps": [{"capList": {**cap, "keepWhere": []}}]})
    assert isinstance(step, Budget)
    assert step.steps[0].step == cap_list(3)


def test_the_json_schema_lets_a_budget_hold_every_other_step() -> None:
    entry = policy_schema()["$defs"]["BudgetEntryModel"]
    assert list(entry["properties"]) == ["when", *ACTING_MODELS]
    assert entry["oneOf"] == [{"required": [kind]} for kind in ACTING_MODELS]
    assert "budget" not in ACTING_MODELS
