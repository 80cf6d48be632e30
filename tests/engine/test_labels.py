"""Label selectors, as the API server has them."""

import pytest

from admission.engine.labels import LabelExpression, LabelOperator, LabelSelector, labels_of
from admission.errors import DocumentError
from tests.engine.build import write

LABELS = {"app": "train", "empty": ""}


@pytest.mark.parametrize(
    ("key", "operator", "values", "selects"),
    [
        ("app", "In", ["train", "test"], True),
        ("app", "In", ["test"], False),
        ("gone", "In", ["test"], False),
        ("empty", "In", [""], True),
        ("app", "NotIn", ["train"], False),
        ("app", "NotIn", ["test"], True),
        ("gone", "NotIn", ["test"], True),
        ("app", "Exists", [], True),
        ("empty", "Exists", [], True),
        ("gone", "Exists", [], False),
        ("app", "DoesNotExist", [], False),
        ("gone", "DoesNotExist", [], True),
    ],
)
def test_compares_as_kubernetes_does(key: str, operator: str, values: list[str], selects: bool) -> None:
    assert LabelExpression(key, LabelOperator(operator), tuple(values)).selects(LABELS) is selects


def test_all_expressions_must_hold() -> None:
    there, gone = LabelExpression("app", LabelOperator.EXISTS), LabelExpression("gone", LabelOperator.EXISTS)
    assert LabelSelector((there,)).selects(LABELS)
    assert not LabelSelector((there, gone)).selects(LABELS)
    assert LabelSelector(()).selects({})


@pytest.mark.parametrize("metadata", ["null", "{}", '{"labels":null}', '{"labels":{}}'])
def test_an_object_may_have_no_labels(metadata: str) -> None:
    assert labels_of(write(f'{{"metadata":{metadata}}}')) == {}
    assert labels_of(write("{}")) == {}


@pytest.mark.parametrize("labels", ["[]", '{"a":1}', '{"a":null}'])
def test_labels_that_are_no_texts_are_a_fault_of_the_document(labels: str) -> None:
    with pytest.raises(DocumentError, match="the labels cannot be read"):
        labels_of(write(f'{{"metadata":{{"labels":{labels}}}}}'))
