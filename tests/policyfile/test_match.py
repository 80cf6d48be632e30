"""``match`` in a policy file."""

from typing import Any

import pytest

from admission.engine.labels import LabelExpression, LabelOperator, LabelSelector
from admission.engine.match import Globs
from tests.policyfile.sample import VALID, bent, loaded, told


def test_everything_that_is_said_reaches_the_engine() -> None:
    match = loaded(
        bent(
            ("spec.match.names", {"include": ["train-*"]}),
            ("spec.match.users", {"exclude": ["system:*"]}),
            (
                "spec.match.objectSelector",
                {
                    "matchLabels": {"b": "2", "a": "1"},
                    "matchExpressions": [{"key": "c", "operator": "NotIn", "values": ["x"]}],
                },
            ),
        )
    ).match
    assert match.names == Globs(("train-*",))
    assert match.users == Globs(exclude=("system:*",))
    assert match.selector == LabelSelector(
        (
            LabelExpression("a", LabelOperator.IN, ("1",)),
            LabelExpression("b", LabelOperator.IN, ("2",)),
            LabelExpression("c", LabelOperator.NOT_IN, ("x",)),
        )
    )


@pytest.mark.parametrize("selector", [{}, {"matchLabels": {}, "matchExpressions": []}])
def test_an_empty_selector_selects_everything(selector: Any) -> None:
    assert loaded(bent(("spec.match.objectSelector", selector))).match == loaded(VALID).match


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        pytest.param(
            "spec.match.names", {"include": []}, "spec.match.names.include: the list is empty; write at least one entry"
        ),
        pytest.param(
            "spec.match.users", "admin", 'spec.match.users: expected a map, found "admin"; known here: include, exclude'
        ),
        pytest.param(
            "spec.match.objectSelector",
            {"matchLabels": {"a": True}},
            'spec.match.objectSelector.matchLabels.a: expected text, found true; quote it: "true"',
        ),
        pytest.param(
            "spec.match.objectSelector",
            {"matchlabels": {}},
            'spec.match.objectSelector.matchlabels: unknown key; did you mean "matchLabels"?',
        ),
        pytest.param(
            "spec.match.objectSelector",
            {"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["1"]}]},
            'spec.match.objectSelector.matchExpressions[0].operator: "Gt" is not known; '
            "write In, NotIn, Exists or DoesNotExist",
        ),
        pytest.param(
            "spec.match.objectSelector",
            {"matchExpressions": [{"key": "a", "operator": "In"}]},
            "spec.match.objectSelector.matchExpressions[0].values: In needs at least one value; "
            "to ask whether the label is there write Exists",
        ),
        pytest.param(
            "spec.match.objectSelector",
            {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["x"]}]},
            "spec.match.objectSelector.matchExpressions[0].values: Exists takes no values; leave them out, or write In",
        ),
    ],
)
def test_what_is_wrong_is_told(place: str, value: Any, message: str) -> None:
    assert told(bent((place, value))) == [message]
