"""Which object a review is about."""

from typing import Any

import pytest

from admission.engine.decision import unchanged
from admission.observe.identity import LONGEST_NAME, Identity, identity_of, name_of
from tests.observe.answers import answer
from tests.review_sample import OBJECT_UID, custom_resource

BARE = custom_resource() | {"metadata": {"name": "train-mpi"}}
A_REFERENCE = {"resourceVersion": "1", "uid": "abc"}


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


def with_metadata(**changes: Any) -> dict[str, Any]:
    """The object with more metadata, its members sorted as Go sorts them."""
    sample = custom_resource()
    metadata = sample["metadata"] | {"creationTimestamp": "2026-02-03T04:00:00Z"} | changes
    return dict(sorted((sample | {"metadata": dict(sorted(metadata.items()))}).items()))


@pytest.mark.parametrize("last", ["name", "managedFields", "ownerReferences"])
@pytest.mark.parametrize("called_the_same", ["annotations", "labels"])
def test_annotations_and_labels_of_the_same_names_identify_nothing(called_the_same: str, last: str) -> None:
    more = {"managedFields": [{"manager": "m"}], "ownerReferences": [{"uid": "owner"}], "name": "train-mpi"}
    stored = with_metadata(**{called_the_same: A_REFERENCE, last: more[last]})
    assert identity(oldObject=stored) == Identity(OBJECT_UID, "1042")


def test_an_object_that_is_created_is_none_that_it_refers_to() -> None:
    created = BARE | {"spec": {"of": A_REFERENCE}}
    assert identity(object=created, oldObject=None, operation="CREATE") == Identity()


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
