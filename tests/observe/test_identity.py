"""Which object a review is about."""

from typing import Any

import pytest

from admission.engine.decision import unchanged
from admission.observe.identity import LONGEST_NAME, Identity, identity_of, name_of
from tests.observe.answers import answer
from tests.review_sample import OBJECT_UID, custom_resource

BARE = custom_resource() | {"metadata": {"name": "train-mpi"}}


def identity(**changes: Any) -> Identity:
    attributes = answer(unchanged(), **changes).attributes
    assert attributes is not None
    return identity_of(attributes)


def test_the_stored_object_tells_who_it_is_when_a_put_does_not() -> None:
    assert identity(object=BARE).uid == OBJECT_UID


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param({"oldObject": None, "operation": "CREATE"}, Identity(OBJECT_UID, "1042"), id="nothing is stored"),
        pytest.param(
            {"oldObject": custom_resource(resource_version="7")}, Identity(OBJECT_UID, "7"), id="an older one"
        ),
        pytest.param(
            {
                "oldObject": {
                    "data": {"resourceVersion": "1", "uid": "abc"},
                    "metadata": {"uid": "u", "resourceVersion": "7"},
                }
            },
            Identity("u", "7"),
            id="another object inside comes first",
        ),
        pytest.param({"oldObject": {"metadata": None}}, Identity(), id="no metadata"),
        pytest.param({"oldObject": {"metadata": {"uid": 5}}}, Identity(), id="a uid that is none"),
        pytest.param({"oldObject": ["x"]}, Identity(), id="no object"),
    ],
)
def test_identifies_the_object(changes: dict[str, Any], expected: Identity) -> None:
    assert identity(**changes) == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param({}, "batch.volcano.sh/jobs/research/train-mpi", id="namespaced"),
        pytest.param({"namespace": None}, "batch.volcano.sh/jobs//train-mpi", id="cluster-scoped"),
        pytest.param({"name": None}, "", id="a name that the API server is still to make"),
        pytest.param({"name": "x" * LONGEST_NAME}, "", id="longer than any"),
    ],
)
def test_names_the_object(changes: dict[str, Any], expected: str) -> None:
    attributes = answer(unchanged(), **changes).attributes
    assert attributes is not None
    assert name_of(attributes) == expected
