"""A mold gathers what is known of a value."""

from __future__ import annotations

import pytest

from admission.policyfile.convergence.mold import Mold
from tests.engine.build import path


def test_a_path_makes_what_it_leads_through() -> None:
    mold = Mold()
    leaf = mold.at(path("status.nodes.*.history[*].message"))
    nodes = mold.members["status"].members["nodes"]
    assert nodes.is_map
    assert nodes.item is not None
    history = nodes.item.members["history"]
    assert history.is_list
    assert history.item is not None
    assert history.item.members["message"] is leaf


def test_the_same_place_is_one_mold() -> None:
    mold = Mold()
    assert mold.at(path("status.history[*].x")) is mold.at(path("status.history[1:].x"))


@pytest.mark.parametrize(("text", "items"), [("status.a[2]", 3), ("status.a[-2]", 2)])
def test_an_index_asks_for_as_many_items(text: str, items: int) -> None:
    mold = Mold()
    mold.at(path(text))
    assert mold.members["status"].members["a"].counts == {items}


def test_of_what_nothing_is_known_a_scalar_is_as_good_as_anything() -> None:
    assert Mold().is_scalar
    container = Mold()
    container.member("x")
    assert not container.is_scalar
    container.is_text = True
    assert container.is_scalar
