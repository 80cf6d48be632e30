"""The working copy: changes in place, and the shortest patch that says them."""

from __future__ import annotations

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from admission.engine.attributes import STATUS
from admission.engine.decision import Op
from admission.engine.values import List, Trail, encode
from admission.engine.workingcopy import WorkingCopy
from admission.errors import DocumentError
from tests.engine.build import Json, custom_resource, exact, go, patch_of, path, raw


def working_copy(status: Json) -> WorkingCopy:
    return WorkingCopy(raw(go(custom_resource(status))), roots=(STATUS,), compact=True)


ITEMS = [{"id": n, "m": "m" * 60, "l": [1, 2, 3]} for n in range(6)]


def remove(copy: WorkingCopy, at: str, *positions: int) -> None:
    for trail, items in copy.lists(path(at)):
        copy.remove_items(trail, items, positions)


def take_out(copy: WorkingCopy, at: str) -> None:
    for trail, members, key in list(copy.places(path(at))):
        assert isinstance(members, dict)
        copy.remove_member(trail, members, str(key))


def move(copy: WorkingCopy, trail: Trail, items: List, source: int, target: int) -> None:
    if target < source < len(items):
        copy.move_item(trail, items, source, target)
        copy.remove_items(trail, items, [source])


def test_leads_to_maps_and_to_nothing_else() -> None:
    copy = working_copy({"nodes": {"a": {"x": 1}, "b": [1], "c": "text", "d": None, "e": {}}})
    assert [trail for trail, _ in copy.maps(path("status.nodes.*"))] == [("status", "nodes", name) for name in "ae"]
    assert list(copy.maps(path("status.nodes.a.x"))) == list(copy.maps(path("status.gone"))) == []


def test_positions_in_the_patch_are_those_of_the_object_as_it_was_sent() -> None:
    copy = working_copy({"history": ITEMS})
    remove(copy, "status.history", 1)
    remove(copy, "status.history", 1)
    remove(copy, "status.history", 0, 3)
    assert [op.path for op in copy.operations()] == [f"/status/history/{n}" for n in (5, 2, 1, 0)]


def test_a_change_inside_an_item_stands_at_the_place_where_the_item_ends_up() -> None:
    copy = working_copy({"history": ITEMS})
    remove(copy, "status.history[5].l", 0)
    remove(copy, "status.history", 0, 4)
    remove(copy, "status.history[0].l", 0)
    assert [op.path for op in copy.operations()] == [
        "/status/history/4",
        "/status/history/0",
        "/status/history/0/l/0",
        "/status/history/3/l/0",
    ]


def test_what_happened_inside_an_item_that_goes_is_not_said() -> None:
    copy = working_copy({"history": ITEMS})
    remove(copy, "status.history[0].l", 0)
    remove(copy, "status.history", 0)
    assert copy.operations() == [Op("remove", "/status/history/0")]


def test_a_moved_item_is_replaced_at_its_new_place() -> None:
    copy = working_copy({"history": ITEMS})
    for trail, items in copy.lists(path("status.history")):
        copy.move_item(trail, items, 4, 1)
        copy.remove_items(trail, items, [4])
    assert [op.path for op in copy.operations()] == ["/status/history/4", "/status/history/1"]


def test_a_member_that_went_is_one_operation_and_what_happened_inside_is_not_said() -> None:
    copy = working_copy({"history": ITEMS, "a": {"b/c": [1, 2], "d": 3}})
    remove(copy, "status.a['b/c']", 0)
    remove(copy, "status.history", 0)
    take_out(copy, "status.history[1].m")
    take_out(copy, "status.a['b/c']")
    assert copy.operations() == [
        Op("remove", "/status/a/b~1c"),
        Op("remove", "/status/history/0"),
        Op("remove", "/status/history/1/m"),
    ]


def test_knows_whether_it_changed_and_what_it_weighs() -> None:
    copy = working_copy({"history": ITEMS})
    assert (copy.changed, copy.operations(), copy.root_size()) == (False, [], copy.submitted_size())
    saved = copy.remove_items(*next(copy.lists(path("status.history"))), [0, 1, 2, 3, 4, 5])
    assert copy.changed
    assert copy.submitted_size() - saved == copy.root_size() == len(b'{"history":[]}')


def test_an_object_that_is_none_cannot_be_wrapped() -> None:
    with pytest.raises(DocumentError):
        WorkingCopy(raw("[]"), roots=(STATUS,), compact=True)


@st.composite
def scripts(draw: st.DrawFn) -> tuple[Json, list[tuple[str, int, int]]]:
    rows = draw(st.lists(st.integers(0, 4), min_size=1, max_size=5))
    status = {"l": [{"n": number, "in": list(range(length))} for number, length in enumerate(rows)]}
    moves = st.tuples(st.sampled_from(["outer", "inner", "move", "cut", "drop"]), st.integers(0, 4), st.integers(0, 4))
    return status, draw(st.lists(moves, max_size=8))


@given(scripts())
def test_the_patch_leads_to_the_working_copy_whatever_happened(script: tuple[Json, list[tuple[str, int, int]]]) -> None:
    status, moves = script
    copy = working_copy(status)
    trail, rows = next(copy.lists(path("status.l")))
    for kind, first, second in moves:
        if first >= len(rows):
            continue
        if kind == "outer":
            copy.remove_items(trail, rows, [first])
        elif kind == "move":
            move(copy, trail, rows, second, first)
        elif kind == "drop":
            take_out(copy, f"status.l[{first}].n")
        elif kind == "cut":
            for at, container, key in copy.places(path(f"status.l[{first}].n")):
                copy.replace(at, container, key, Raw(b'"cut"'))
        else:
            for at, items in copy.lists(path(f"status.l[{first}].in")):
                if second < len(items):
                    copy.remove_items(at, items, [second])
    patched = jsonpatch.apply_patch(exact(go(custom_resource(status))), patch_of(copy.operations()))
    assert patched == exact(encode(copy.object))
    assert copy.saved == len(go(status)) - copy.root_size(), "what was saved is what is missing"
