"""Edits become the operations that say them in the fewest bytes."""

import json

import pytest

from admission.engine.decision import Op
from admission.engine.edit import Edit
from admission.engine.operations import cost, operations_of
from admission.engine.values import Value
from tests.engine.build import raw

LONG, SHORT = raw(json.dumps("x" * 60)), raw("1")


@pytest.mark.parametrize(
    ("edit", "now", "operations"),
    [
        pytest.param(Edit(), {"a": SHORT}, [], id="nothing happened"),
        pytest.param(Edit(replaced=True), SHORT, [Op("replace", "", b"1")], id="another value"),
        pytest.param(
            Edit(replaced=True, children={"a": Edit(replaced=True)}),
            {"a": SHORT},
            [Op("replace", "", b'{"a":1}')],
            id="a change inside another value is part of it",
        ),
        pytest.param(Edit(gone={"a/b": SHORT}), {}, [Op("remove", "/a~1b")], id="a member went"),
        pytest.param(
            Edit(gone={"a": SHORT}, children={"a": Edit(replaced=True), "b": Edit(replaced=True)}),
            {"b": SHORT},
            [Op("remove", "/a"), Op("replace", "/b", b"1")],
            id="what happened in a member that went is not said",
        ),
        pytest.param(
            Edit(gone={1: SHORT, 0: SHORT}, kept=[2], children={2: Edit(replaced=True)}),
            [LONG],
            [Op("replace", "", bytes(b"[" + bytes(LONG) + b"]"))],
            id="one replace is shorter than three operations",
        ),
        pytest.param(
            Edit(gone={0: SHORT, 2: SHORT}, kept=[1, 3, 4]),
            [LONG, LONG, LONG],
            [Op("remove", "/2"), Op("remove", "/0")],
            id="two removes from the highest on are shorter than what is left",
        ),
    ],
)
def test_says_what_happened(edit: Edit, now: Value, operations: list[Op]) -> None:
    assert operations_of(edit, now) == operations


@pytest.mark.parametrize(
    ("here", "left", "operations"),
    [
        pytest.param("/status/nodes", {"c": SHORT}, ["replace /status/nodes"], id="a short map"),
        pytest.param(
            "/status/nodes",
            {"c": LONG, "d": LONG},
            ["remove /status/nodes/a", "remove /status/nodes/b"],
            id="a long one",
        ),
        pytest.param("/status", {"c": SHORT}, ["remove /status/a", "remove /status/b"], id="a root is never replaced"),
    ],
)
def test_a_map_that_lost_many_entries_is_replaced_when_that_is_shorter(
    here: str, left: Value, operations: list[str]
) -> None:
    edit = Edit(gone={"a": SHORT, "b": SHORT})
    assert [f"{each.op} {each.path}" for each in operations_of(edit, left, here)] == operations


def test_the_cost_of_a_patch_is_its_length() -> None:
    operations = [Op("remove", "/status/history/1"), Op("replace", "/status/a", b'"x"')]
    text = json.dumps(
        [{"op": "remove", "path": "/status/history/1"}, {"op": "replace", "path": "/status/a", "value": "x"}]
    )
    assert cost(operations) == len(text.replace(" ", "")) - 1
