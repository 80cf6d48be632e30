"""What a step pins has not gone, whatever a step did."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from admission.engine.document import Document
from admission.engine.pinned import Pinned
from admission.engine.steps import CapList, Expire, Step
from admission.engine.values import open_child, quoted
from tests.engine.build import (
    NOW,
    Json,
    cap_list,
    cap_map,
    custom_resource,
    expire,
    fit_schema,
    path,
    pin,
    policy,
    write,
)

FAILED = pin("phase In Failed")
TWO_NEWEST = pin("phase In Failed", newest=2)
HISTORY: Json = [{"phase": phase} for phase in ("Failed", "Done", "Failed", "Done", "Failed")]


def lost(*going: int, steps: Sequence[Step], cut: int | None = None, drop: int | None = None) -> bool:
    """Whether pins were lost by the removal of items, after one of them was changed."""
    copy = Document.of(write(custom_resource({"history": HISTORY})))
    for trail, items in copy.lists(path("status.history")):
        before = list(items)
        for position, text in ((cut, "Fai"), (drop, "Failed")):
            if position is not None:
                inside = open_child(items, position)
                assert isinstance(inside, dict)
                copy.replace((*trail, position), inside, "phase", quoted(text))
        copy.remove_items(trail, items, going)
        edit = copy.edits.children["status"].children["history"]
        return Pinned([policy(*steps).licence], NOW).lost(before, edit.kept or [], edit, trail)
    raise AssertionError("it is there")


@pytest.mark.parametrize(
    ("step", "stays", "goes"),
    [
        pytest.param(cap_list(1, pins=[FAILED]), [(1,), (1, 3)], [(0,), (1, 2), (4,)], id="what meets requirements"),
        pytest.param(cap_list(1, first=2), [(2, 3, 4)], [(0,), (1, 2)], id="the first"),
        pytest.param(cap_list(1, last=1), [(0, 1, 2, 3)], [(4,), (0, 4)], id="the last"),
        pytest.param(
            cap_list(1, pins=[TWO_NEWEST]),
            [(0,), (0, 1, 3), (2,)],
            [(0, 2), (0, 2, 4)],
            id="so many of what meets them",
        ),
        pytest.param(cap_list(1), [(0, 1, 2, 3, 4)], [], id="nothing"),
        pytest.param(expire("1h", newest=2), [(0, 1, 2), (2, 3, 4)], [(0, 1, 2, 3)], id="so many of the newest"),
        pytest.param(expire("1h", newest=0), [(0, 1, 2, 3, 4)], [], id="none of the newest"),
        pytest.param(expire("1h", newest=0, pins=[FAILED]), [(1, 3)], [(0,)], id="what expires not"),
    ],
)
def test_tells_what_went_although_it_is_pinned(
    step: CapList | Expire, stays: list[tuple[int, ...]], goes: list[tuple[int, ...]]
) -> None:
    assert not any(lost(*going, steps=[step]) for going in stays)
    assert all(lost(*going, steps=[step]) for going in goes)


def test_a_step_without_pins_may_remove_what_another_pins() -> None:
    pinned, plain = cap_list(1, pins=[FAILED]), cap_list(1)
    assert not lost(0, steps=[pinned, plain])
    assert lost(0, steps=[pinned, cap_list(1, at="status.events")])
    assert lost(0, steps=[pinned, cap_list(1, pins=[FAILED])])
    assert not lost(0, steps=[pinned, cap_list(1, pins=[pin("phase In Done")])])
    assert not lost(0, steps=[pinned, fit_schema()])
    assert lost(0, steps=[pinned, fit_schema("status.events")])
    assert not lost(0, 1, 2, 3, steps=[cap_list(1, pins=[TWO_NEWEST]), cap_list(1, last=1)])


def test_an_item_that_was_edited_is_pinned_when_it_was_so_before_and_after() -> None:
    for step in (cap_list(1, pins=[FAILED]), cap_list(1, pins=[pin("phase In Failed", newest=3)])):
        assert not lost(0, steps=[step], cut=0)
        assert lost(0, steps=[step], drop=0)


NODES: Json = {"a": {"phase": "Failed"}, "b": {"phase": "Done"}, "c": {"phase": "Failed"}}


@pytest.mark.parametrize(
    ("name", "text", "may"),
    [
        pytest.param("a", None, True, id="it meets what is asked"),
        pytest.param("b", None, False, id="it does not"),
        pytest.param("b", "Failed", True, id="it did when it went"),
        pytest.param("a", "Done", False, id="it did not any more"),
    ],
)
def test_an_entry_of_a_map_may_go_as_it_was_when_it_went(name: str, text: str | None, may: bool) -> None:
    copy = Document.of(write(custom_resource({"nodes": NODES})))
    for trail, members in copy.maps(path("status.nodes")):
        sent = dict(members)
        if text is not None:
            inside = open_child(members, name)
            assert isinstance(inside, dict)
            copy.replace((*trail, name), inside, "phase", quoted(text))
        copy.remove_member(trail, members, name)
        edit = copy.edits.children["status"].children["nodes"]
        pinned = Pinned([policy(cap_map(1, where=["phase In Failed"])).licence], NOW)
        assert pinned.may_evict([name], sent, edit, trail) is may
        assert not Pinned([policy(cap_list(1)).licence], NOW).may_evict([name], sent, edit, trail)
        assert Pinned([], NOW).may_evict([], sent, edit, trail)
