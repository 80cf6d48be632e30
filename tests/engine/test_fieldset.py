"""``fieldsV1`` beside an object: what is owned as a leaf, and what names the items of a list."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import Raw

from admission.engine.fieldset import FieldSet, within
from admission.engine.values import Container, Key, opened
from tests.engine.build import go

OBJECT = {
    "status": {
        "phase": "Running",
        "atomic": [{"a": 1}],
        "keyed": [{"type": "A", "port": 80, "m": "x"}, {"type": "B", "port": 81, "m": "y"}, "odd"],
        "set": ["x", "é<", 1],
        "nested": {"inner": {"deep": 1}},
    }
}
FIELDS = {
    "f:status": {
        ".": {},
        "f:phase": {},
        "f:atomic": {},
        "f:keyed": {
            ".": {},
            'k:{"type":"B","port":81}': {".": {}, "f:m": {}},
            'k:{"type":"A"}': {"f:m": {}},
            "k:{bad": {},
        },
        "f:set": {'v:"é<"': {}, "v:1": {}, "v:{bad": {}},
        "f:nested": {"f:inner": {}},
        "f:gone": {},
    }
}


def fields(value: Any = FIELDS) -> FieldSet:
    found = FieldSet.of(Raw(go(value)))
    assert found is not None
    return found


def root() -> Container:
    inside = opened(Raw(go(OBJECT)))
    assert inside is not None
    return inside


@pytest.mark.parametrize(
    ("trail", "owned"),
    [
        (("phase",), True),
        (("atomic",), True),
        (("atomic", 0), True),
        (("atomic", 0, "a"), True),
        (("keyed",), False),
        (("keyed", 0), False),
        (("keyed", 0, "m"), True),
        (("keyed", 1, "m"), True),
        (("keyed", 1, "port"), False),
        (("keyed", 2), False),
        (("keyed", 9, "m"), False),
        (("set", 1), True),
        (("set", 2), True),
        (("set", 0), False),
        (("nested", "inner", "deep"), True),
        (("nested",), False),
        (("gone",), False),
        (("unknown",), False),
        (("phase", "x"), True),
    ],
)
def test_a_leaf_owns_all_that_is_below_it(trail: tuple[Key, ...], owned: bool) -> None:
    assert fields().owns_as_leaf(("status", *trail), root()) is owned


def test_an_element_by_index_names_a_place() -> None:
    by_index = fields({"f:status": {"f:set": {"i:1": {}}}})
    assert [by_index.owns_as_leaf(("status", "set", at), root()) for at in range(3)] == [False, True, False]


@pytest.mark.parametrize(
    ("trail", "key", "names"),
    [
        (("keyed",), "type", True),
        (("keyed",), "port", True),
        (("keyed",), "m", False),
        (("keyed",), 0, False),
        (("set",), 0, True),
        (("set",), "x", False),
        (("atomic",), "a", False),
        (("unknown",), "a", False),
        (("phase",), "a", False),
    ],
)
def test_knows_what_tells_the_items_of_a_list_apart(trail: tuple[Key, ...], key: Key, names: bool) -> None:
    assert fields().names_items_by(("status", *trail), key, root()) is names


@pytest.mark.parametrize("raw", [b"[]", b"7", b'"x"', b"{"])
def test_what_is_no_object_owns_nothing(raw: bytes) -> None:
    assert FieldSet.of(Raw(raw)) is None


@pytest.mark.parametrize("node", [7, "x", None, []])
def test_a_node_that_is_no_object_owns_nothing_below_it(node: Any) -> None:
    assert not fields({"f:status": {"f:nested": node}}).owns_as_leaf(("status", "nested", "inner"), root()) or not node


@pytest.mark.parametrize(
    ("part", "whole", "is_within"),
    [
        ({"f:a": {}}, {"f:a": {}, "f:b": {}}, True),
        ({"f:a": {}}, {"f:b": {}}, False),
        ({"f:a": {"f:x": {}}}, {"f:a": {"f:x": {}, "f:y": {}}}, True),
        ({"f:a": {}}, {"f:a": {"f:x": {}}}, False),
        ({"f:a": {"f:x": {}}}, {"f:a": {}}, False),
        ({}, {}, True),
        (None, {}, False),
        ({}, None, False),
    ],
)
def test_a_part_of_what_somebody_owns(part: Any, whole: Any, is_within: bool) -> None:
    assert within(part, whole) is is_within
