"""Edits know values by the places that they had when the object was sent."""

from msgspec import Raw

from admission.engine.edit import Edit


def test_the_items_that_are_left_are_known_by_their_first_positions() -> None:
    edit = Edit(kept=[1, 4])
    assert [edit.original(position) for position in (0, 1)] == [1, 4]
    assert Edit().original(3) == 3
    assert Edit().original("name") == "name"


def test_an_item_keeps_its_edit_when_others_go() -> None:
    edit = Edit()
    second = edit.child(1)
    edit.kept = [1, 2]
    assert edit.child(0) is second
    assert edit.child(1) is not second
    assert edit.children.keys() == {1, 2}


def test_an_edit_counts_the_places_that_were_changed_and_not_what_is_gone() -> None:
    edit = Edit(kept=[1], gone={0: Raw(b"1")})
    edit.child(0).child("message").replaced = True
    assert Edit().places == 1
    assert edit.places == 3
