"""Items that count as one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from admission.engine.twin import comparable, keyed_texts, paired_twins, twin_by_keys, twin_of
from admission.engine.values import Value, open_object
from tests.engine.build import Json, go, path, raw


def items(*values: Json) -> list[Value]:
    return [raw(go(value)) for value in values]


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("1", "1", True),
        ("1", "1.0", False),
        ('"1"', "1", False),
        ("true", '"true"', False),
        ('{"a":1,"b":2}', '{"b":2,"a":1}', True),
        ("[1,2]", "[2,1]", False),
        ('{"a":[1]}', '{"a":1}', False),
        ('"\\u0061"', '"a"', True),
    ],
)
def test_values_are_equal_as_json(one: str, other: str, equal: bool) -> None:
    assert (comparable(raw(one)) == comparable(raw(other))) is equal
    assert len({comparable(raw(one)), comparable(raw(other))}) == (1 if equal else 2)


KEYS: st.SearchStrategy[Json] = st.sampled_from([None, "a", "b", 1, 1.5, True, {}, [], "GONE"])


@given(st.lists(st.tuples(KEYS, KEYS), max_size=5), st.sampled_from([["x"], ["x", "y"], ["y.z"], ["."], ["x", "y.z"]]))
def test_all_items_at_once_are_told_as_one_by_one(rows: list[tuple[Json, Json]], names: list[str]) -> None:
    made = [
        {name: value for name, value in (("x", x), ("y", {"z": y} if x else y)) if value != "GONE"} for x, y in rows
    ]
    keys = [path(name) for name in names]
    whole = items(*made, "no object")
    twins, texts = keyed_texts(whole, keys, ("x", "z"))
    assert twins == [twin_by_keys(whole, at, keys) for at in range(len(whole))]
    assert texts == [
        tuple(text if isinstance(text, str) else None for text in (one.get("x"), one.get("z"))) for one in (*made, {})
    ]
    opened = [open_object(list(whole), at) for at in range(len(made))]
    assert twins[:-1] == [None if members is None else twin_of(members, keys) for members in opened]


def test_twins_occur_once_on_both_sides() -> None:
    one = items({"k": "a"}, {"k": "b"}, {"k": "c"}, {"k": "c"}, {"k": None}, {"k": 1}, {})
    other = items({"k": 1}, {"k": "c"}, {"k": "b"}, {"k": "b"}, {"k": "a"}, {}, {"k": None})
    twins = [keyed_texts(side, [path("k")], ())[0] for side in (one, other)]
    assert dict(paired_twins(*twins)) == {0: 4, 5: 0}
