"""Requirements and pins: what fits an operator."""

from typing import Any

import pytest

from admission.engine.fieldpath import FieldPath
from admission.engine.pin import KeepWhere
from admission.engine.requirement import Operator, Requirement
from admission.engine.steps import CapList
from tests.policyfile.sample import bent, loaded, told, with_step


@pytest.mark.parametrize(
    ("requirement", "message"),
    [
        pytest.param(
            {"operator": "In", "values": [True]},
            'values[0]: expected text, found true; quote it: "true"',
            id="a boolean",
        ),
        pytest.param(
            {"operator": "In", "values": [1]}, 'values[0]: expected text, found 1; quote it: "1"', id="a number"
        ),
        pytest.param(
            {"operator": "Lt", "values": [5]},
            'values[0]: expected text, found 5; quote it: "5"',
            id="a number to compare",
        ),
        pytest.param(
            {"operator": "In", "values": [1.5]}, "values[0]: expected text, found 1.5; quote it", id="a fraction"
        ),
        pytest.param({"operator": "In", "values": [None]}, "values[0]: expected text, found nothing", id="null"),
        pytest.param(
            {"operator": "In", "values": "a"}, 'values: expected a list, found "a"; write [a]', id="text as a list"
        ),
        pytest.param(
            {"operator": "In"},
            "values: In needs at least one value; to ask whether the field is there write Exists",
            id="In without values",
        ),
        pytest.param(
            {"operator": "NotIn", "values": []},
            "values: NotIn needs at least one value; to ask whether the field is there write Exists",
            id="NotIn with no values",
        ),
        pytest.param(
            {"operator": "Exists", "values": ["a"]},
            "values: Exists takes no values; leave them out, or write In",
            id="Exists with values",
        ),
        pytest.param(
            {"operator": "DoesNotExist", "values": ["a"]},
            "values: DoesNotExist takes no values; leave them out, or write In",
            id="DoesNotExist with values",
        ),
        pytest.param({"operator": "Gt"}, "values: Gt takes exactly one value, found 0", id="Gt without a value"),
        pytest.param(
            {"operator": "Lt", "values": ["1", "2"]}, "values: Lt takes exactly one value, found 2", id="Lt with two"
        ),
        pytest.param(
            {"operator": "Lt", "values": ["many"]}, 'values: "many" is no number; write for example "5"', id="no number"
        ),
        pytest.param(
            {"operator": "Lt", "values": ["NaN"]}, 'values: "NaN" is no number; write for example "5"', id="NaN"
        ),
        pytest.param(
            {"operator": "OlderThan", "values": ["5 minutes"]},
            'values: "5 minutes" is no duration and no time; write for example 5m, 7d or 2026-01-01T00:00:00Z',
            id="no duration",
        ),
        pytest.param(
            {"operator": "NewerThan", "values": ["2026-01-01"]},
            'values: "2026-01-01" is no duration and no time; write for example 5m, 7d or 2026-01-01T00:00:00Z',
            id="a date without a time",
        ),
        pytest.param(
            {"operator": "in", "values": ["a"]}, 'operator: "in" is not known; did you mean "In"?', id="small letters"
        ),
        pytest.param(
            {"operator": "Matches", "values": ["a"]},
            'operator: "Matches" is not known; write In, NotIn, Exists, DoesNotExist, Lt, Gt, OlderThan or NewerThan',
            id="an operator that is none",
        ),
        pytest.param(
            {"operator": "Exists", "value": "a"}, 'value: unknown key; did you mean "values"?', id="an unknown key"
        ),
    ],
)
def test_a_requirement_that_cannot_hold_is_told(requirement: dict[str, Any], message: str) -> None:
    asked = {"field": "status.phase", **requirement}
    assert told(bent(("spec.match.when", [asked]))) == [f"spec.match.when[0].{message}"]


@pytest.mark.parametrize(
    ("operator", "values"),
    [
        pytest.param("Exists", [], id="empty values are no values"),
        pytest.param("In", ["true", "1"], id="quoted scalars"),
        pytest.param("Gt", ["1e3"], id="a number with an exponent"),
        pytest.param("OlderThan", ["1h30m"], id="a duration of Go"),
        pytest.param("OlderThan", ["7d"], id="days"),
        pytest.param("NewerThan", ["2026-01-01T00:00:00Z"], id="a time"),
    ],
)
def test_a_requirement_becomes_that_of_the_engine(operator: str, values: list[str]) -> None:
    asked = {"field": "status.phase", "operator": operator, "values": values}
    expected = Requirement(FieldPath.parse("status.phase"), Operator(operator), tuple(values))
    assert loaded(bent(("spec.match.when", [asked]))).match.when == (expected,)


def test_a_pin_becomes_that_of_the_engine() -> None:
    pin = {"all": [{"field": ".", "operator": "In", "values": ["a"]}], "newest": 2}
    cap = {"path": "status.history", "max": 5, "order": "NewestLast", "keepWhere": [pin]}
    step = loaded(with_step("capList", cap)).trim[0].step
    assert isinstance(step, CapList)
    assert step.keep_where == (KeepWhere((Requirement(FieldPath(), Operator.IN, ("a",)),), 2),)
