"""What a condition is, and which of them must stay."""

from __future__ import annotations

import pytest

from admission.engine.condition import is_conditions, last_of_their_type, newest_of_each, types_of
from admission.engine.values import Trail
from tests.engine.build import raw


@pytest.mark.parametrize(
    ("trail", "conditions"),
    [
        pytest.param(("status", "conditions"), True, id="conditions"),
        pytest.param(("status", "clusterConditions"), True, id="a key that ends in it"),
        pytest.param(("status", "CONDITIONS"), True, id="in any case"),
        pytest.param(("status", "nodes", 3, "conditions"), True, id="inside an item"),
        pytest.param(("status", "nodeConditions", "n1"), True, id="in a map under such a key"),
        pytest.param(("status", "nodeConditions", "history"), True, id="whatever its name in the map"),
        pytest.param(("status", "conditions", 0), False, id="a list in a list"),
        pytest.param(("status", "conditions", 0, "history"), False, id="a list in a condition"),
        pytest.param(("status", "nodeConditions", "n1", "history"), False, id="two levels below"),
        pytest.param(("status", "condition"), False, id="the singular"),
        pytest.param(("status", "conditionsHistory"), False, id="a key that begins with it"),
        pytest.param(("status",), False, id="the root"),
        pytest.param((), False, id="the object"),
    ],
)
def test_conditions_are_known_by_where_they_are(trail: Trail, conditions: bool) -> None:
    assert is_conditions(trail) is conditions


ITEMS = [
    raw(text) for text in ('{"type":"A"}', '{"type":"B"}', '{"type":"A"}', '{"type":7}', "7", "{}", '{"type":"C"}')
]
RANKS = [(9,), (1,), (5,), (0,), (0,), (0,), (2,)]


def test_only_a_text_is_a_type() -> None:
    assert types_of([*ITEMS]) == {0: "A", 1: "B", 2: "A", 6: "C"}


def test_the_newest_of_every_type() -> None:
    assert newest_of_each(types_of([*ITEMS]), RANKS) == {0, 1, 6}


@pytest.mark.parametrize(
    ("going", "stays"),
    [
        ({0}, set()),
        ({0, 2}, {0}),
        ({1, 2}, {1}),
        ({0, 1, 2, 3, 4, 5, 6}, {0, 1, 6}),
        ({3, 4, 5}, set()),
        (set(), set()),
    ],
)
def test_the_newest_of_a_type_that_would_be_lost_stays(going: set[int], stays: set[int]) -> None:
    assert last_of_their_type(types_of([*ITEMS]), going, RANKS) == stays
