"""The small field manager of the tests says what the API server says; a test of ``tests/e2e`` asks a real one."""

from __future__ import annotations

import pytest

from tests.engine.build import Json, at
from tests.engine.fieldmanager import ConflictError, Stored, built, fields_of, leaves, owned

STATUS: Json = {
    "phase": "x",
    "log": [1, 2],
    "history": [{"id": "b", "m": "y"}, {"id": "a"}],
    "empty": {},
    "deep": {"n": 1},
}


def owners(stored: Stored) -> Json:
    return {(one["manager"], one["operation"]): one["fieldsV1"].get("f:status") for one in stored.managers}


def test_a_value_is_the_sum_of_its_leaves() -> None:
    assert built(leaves(STATUS)) == STATUS
    assert owned(fields_of(set(leaves(STATUS)))) == set(leaves(STATUS))
    assert fields_of(set(leaves({"history": [{"id": "a"}]}))) == {
        "f:history": {'k:{"id":"a"}': {".": {}, "f:id": {}}},
    }


def test_who_updates_takes_what_changes_and_nothing_else() -> None:
    first = Stored().updated({"phase": "a", "n": 1}, "u", at(1))
    second = first.updated({"phase": "b", "n": 1}, "v", at(2))
    assert owners(second) == {("u", "Update"): {"f:n": {}}, ("v", "Update"): {"f:phase": {}}}
    assert owners(second.updated({"n": 1}, "u", at(3))) == {("u", "Update"): {"f:n": {}}}


def test_who_applies_owns_what_it_says_and_meets_a_conflict_where_it_differs() -> None:
    first = Stored().applied({"phase": "a", "n": 1}, "a", at(1))
    agreed = first.applied({"phase": "a"}, "b", at(2))
    assert owners(agreed)["b", "Apply"] == {"f:phase": {}}
    with pytest.raises(ConflictError):
        agreed.applied({"phase": "c"}, "a", at(3))
    forced = agreed.applied({"phase": "c"}, "a", at(3), force=True)
    assert (forced.status, owners(forced)) == ({"phase": "c"}, {("a", "Apply"): {"f:phase": {}}})
