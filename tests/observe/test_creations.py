"""New objects and creations that are tried again."""

from typing import Any

import pytest

from admission.engine.attributes import Attributes
from admission.observe.creations import FORGOTTEN_AFTER, Creations
from admission.review.request import decode
from tests.observe.answers import MINUTE
from tests.review_sample import review


def creation(name: str | None = "train-mpi", **changes: Any) -> Attributes:
    return decode(review(operation="CREATE", oldObject=None, name=name, **changes))


def test_the_same_name_again_is_the_same_creation() -> None:
    creations = Creations()
    assert [creations.is_new(creation(), minute * MINUTE) for minute in range(3)] == [True, False, False]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"name": "train-tf"}, id="another name"),
        pytest.param({"namespace": "production"}, id="another namespace"),
        pytest.param(
            {"resource": {"group": "batch.volcano.sh", "version": "v1alpha1", "resource": "queues"}}, id="a resource"
        ),
        pytest.param({"resource": {"group": "x.io", "version": "v1alpha1", "resource": "jobs"}}, id="another group"),
    ],
)
def test_something_else_is_new(other: dict[str, Any]) -> None:
    creations = Creations()
    assert creations.is_new(creation(), 0)
    assert creations.is_new(creation(**other), 0)


def test_objects_whose_names_the_api_server_makes_are_all_new() -> None:
    creations = Creations()
    assert [creations.is_new(creation(name=None), 0) for _ in range(3)] == [True, True, True]


def test_after_an_hour_without_a_call_it_is_another_object() -> None:
    creations = Creations()
    assert creations.is_new(creation(), 0)
    assert not creations.is_new(creation(), FORGOTTEN_AFTER - 1)
    assert not creations.is_new(creation(), FORGOTTEN_AFTER + MINUTE), "it was tried in between"
    assert creations.is_new(creation(), 2 * FORGOTTEN_AFTER + MINUTE)


def test_when_there_is_no_room_nothing_is_new_until_something_is_forgotten() -> None:
    creations = Creations(capacity=2)
    assert creations.is_new(creation("a"), 0)
    assert creations.is_new(creation("b"), MINUTE)
    assert not creations.is_new(creation("c"), 2 * MINUTE)
    assert not creations.is_new(creation("a"), 3 * MINUTE), "those that are remembered stay"
    assert creations.is_new(creation("c"), FORGOTTEN_AFTER + MINUTE), "b is an hour old"
