"""``fieldsV1`` without what edits removed; what the whole evaluation makes of it is in ``test_ownership``."""

from __future__ import annotations

import pytest
from msgspec import Raw

from admission.engine.edit import Edit
from admission.engine.pruning import may_own_inside, pruned, removes, removes_members
from tests.engine.build import Json, go, raw

GONE = raw('{"id":0}')
SHORTER = Edit(children={"history": Edit(kept=[1], gone={0: GONE})})
DROPPED = Edit(children={"log": Edit(), "extra": Edit(gone={"log": raw("1")})})
CUT = Edit(children={"message": Edit(replaced=True)})


@pytest.mark.parametrize(
    ("edit", "something", "a_member"),
    [
        pytest.param(SHORTER, True, False, id="an item"),
        pytest.param(DROPPED, True, True, id="a member"),
        pytest.param(CUT, False, False, id="a text that was cut stays owned"),
        pytest.param(Edit(displaced=[GONE]), True, False, id="an item whose place another took"),
    ],
)
def test_tells_edits_that_remove_from_those_that_do_not(edit: Edit, something: bool, a_member: bool) -> None:
    assert (removes(edit), removes_members(edit)) == (something, a_member)


@pytest.mark.parametrize(
    ("fields", "edit", "may"),
    [
        pytest.param({"f:history": {'k:{"id":0}': {}}}, SHORTER, True, id="items of the list"),
        pytest.param({"f:history": {}}, SHORTER, False, id="the list as one leaf"),
        pytest.param({"f:phase": {}}, SHORTER, False, id="something else"),
        pytest.param({"f:message": {".": {}}}, CUT, False, id="nothing was removed"),
    ],
)
def test_sees_who_may_own_inside_of_what_was_removed_from(fields: Json, edit: Edit, may: bool) -> None:
    assert may_own_inside(Raw(go(fields)), edit) is may


@pytest.mark.parametrize(
    ("fields", "left"),
    [
        pytest.param({'k:{"id":0}': {}, 'k:{"id":1}': {}}, {'k:{"id":1}': {}}, id="the item that went"),
        pytest.param({'k:{"id":0}': {}}, None, id="nothing is left"),
        pytest.param({".": {}, 'k:{"id":0}': {}}, {}, id="only the list itself is left"),
        pytest.param({'k:{"id":7}': {}}, {'k:{"id":7}': {}}, id="an item that never was"),
        pytest.param({"i:0": {}, "i:1": {}}, {"i:0": {}}, id="a place"),
    ],
)
def test_leaves_what_is_still_there(fields: Json, left: Json) -> None:
    assert pruned(fields, SHORTER.children["history"], raw('[{"id":1}]')) == left
