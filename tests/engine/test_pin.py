"""Pins, by where an item stands and by what it is."""

from __future__ import annotations

from msgspec import Raw

from admission.engine.pin import Pinning
from admission.engine.values import Value
from tests.engine.build import NOW, go, path, pin, raw


def test_pins_by_position_from_both_ends() -> None:
    pins = Pinning(path("status.history"), first=1, last=2)
    assert [pins.by_position(position, 5) for position in range(5)] == [True, False, False, True, True]
    assert not any(Pinning(path("status.history")).by_position(position, 3) for position in range(3))


def test_pins_what_meets_all_requirements_of_one_entry() -> None:
    pins = Pinning(
        path("status.history"), where=(pin("id In 1", "kind In x"), pin("kind In y"), pin("id In 9", newest=1))
    )
    found = [
        pins.holds(raw(go(item)), NOW) for item in ({"id": 1, "kind": "x"}, {"id": 1}, {"kind": "y"}, {"id": 9}, 1)
    ]
    assert found == [True, False, True, False, False]


def test_an_item_is_left_as_it_is() -> None:
    item: Value = raw('{"a":{"b":1}}')
    assert pin("a.b In 1").holds(item, NOW)
    assert type(item) is Raw
