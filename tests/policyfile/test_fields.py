"""What the fields of a policy accept: paths, names, words, numbers."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from admission.engine.fieldpath import EveryEntry, FieldPath, Index, Items, Member
from admission.engine.steps import CapList
from admission.policyfile.fields import MOST_ITEMS
from tests.policyfile.sample import loaded, told, with_step

CAP: dict[str, Any] = {"path": "status.history", "max": 10, "order": "NewestLast"}

BOUNDS = st.none() | st.integers(-999_999_999, 999_999_999)
SEGMENTS = (
    st.builds(
        Member, st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u2028\u2029"), max_size=8)
    )
    | st.just(EveryEntry())
    | st.builds(Items, BOUNDS, BOUNDS)
    | st.builds(Index, st.integers(-999_999_999, 999_999_999))
)


@settings(deadline=None)  # a busy machine is no fault
@given(st.lists(SEGMENTS, max_size=5))
def test_a_path_in_a_policy_prints_back(segments: list[Any]) -> None:
    path = FieldPath((Member("status"), Member("history"), *segments))
    step = loaded(with_step("capList", CAP | {"path": str(path)})).trim[0].step
    assert isinstance(step, CapList)
    assert step.path == path
    assert str(FieldPath.parse(str(step.path))) == str(path)


@pytest.mark.parametrize(
    ("bend", "message"),
    [
        pytest.param({"path": ""}, "path: a path is empty; write for example status.conditions[*].message", id="empty"),
        pytest.param(
            {"path": "status.history."},
            "path: 'status.history.': expected a field name at character 16; quote odd names as in "
            "status.annotations['a.b/c']",
            id="ends in nothing",
        ),
        pytest.param(
            {"path": 5},
            "path: expected a path, found 5; write for example status.conditions[*].message",
            id="a number as a path",
        ),
        pytest.param(
            {"path": "spec.history"},
            "path: spec.history is outside the root; write a path below status, for example status.conditions",
            id="outside the root",
        ),
        pytest.param(
            {"path": "history"},
            "path: history is outside the root; write a path below status, for example status.history",
            id="without the root",
        ),
        pytest.param(
            {"path": "*.history"},
            "path: *.history is outside the root; write a path below status, for example status.conditions",
            id="everything at the top",
        ),
        pytest.param(
            {"path": "status"},
            "path: status is the whole root; name a field below it, for example status.conditions",
            id="the root itself",
        ),
        pytest.param({"max": -1}, "max: must be at least 0, found -1", id="a negative number"),
        pytest.param({"max": 2**31}, f"max: must be at most {MOST_ITEMS}, found 2147483648", id="a number too large"),
        pytest.param({"max": "10"}, 'max: expected a whole number, found "10"', id="a number as text"),
        pytest.param({"max": True}, "max: expected a whole number, found true", id="a boolean as a number"),
        pytest.param({"max": 1.0}, "max: expected a whole number, found 1.0", id="a fraction"),
        pytest.param({"max": None}, "max: expected a whole number, found nothing", id="nothing"),
        pytest.param({"keepWhere": {}}, "keepWhere: expected a list, found a map; write [{…}]", id="a map as a list"),
        pytest.param(
            {"keepWhere": [{"all": []}]},
            "keepWhere[0].all: the list is empty; write at least one entry",
            id="no requirement",
        ),
        pytest.param({"keepFirst": -1}, "keepFirst: must be at least 0, found -1", id="negative pins"),
    ],
)
def test_a_field_that_does_not_fit_is_told(bend: dict[str, Any], message: str) -> None:
    assert told(with_step("capList", CAP | bend)) == [f"spec.trim[0].capList.{message}"]
