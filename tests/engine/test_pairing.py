"""What a path leads to on both sides."""

from __future__ import annotations

import pytest

from admission.engine.pairing import equal_as_sent, pairs
from admission.engine.values import encode, open_object
from tests.engine.build import Json, exact, go, path, raw


def found(at: str, one: Json, other: Json) -> list[tuple[str, Json]]:
    """Where the path leads to in one value, and what stands there in the other."""
    holder, beside = {"x": raw(go(one))}, {"x": raw(go(other))}
    left, right = open_object(holder, "x"), open_object(beside, "x")  # type: ignore[arg-type]
    assert left is not None
    return [
        ("/".join(map(str, (*trail, key))), None if value is None else exact(encode(value)))
        for trail, _, key, value in pairs(left, right, path(at).segments)
    ]


@pytest.mark.parametrize(
    ("at", "one", "other", "pairs_found"),
    [
        pytest.param("a", {"a": "x"}, {"a": "y"}, [("a", "y")], id="members by name"),
        pytest.param("a", {"a": "x"}, {"b": "y"}, [("a", None)], id="a member that is not there"),
        pytest.param("a", {"b": "x"}, {"a": "y"}, [], id="what only the other one has"),
        pytest.param("a.b", {"a": {"b": "x"}}, {"a": "y"}, [("a/b", None)], id="another type on the way"),
        pytest.param("*", {"a": "x", "b": "x"}, {"b": "y"}, [("a", None), ("b", "y")], id="entries by key"),
        pytest.param("a[*]", {"a": ["x", "x"]}, {"a": ["y"]}, [("a/0", "y"), ("a/1", None)], id="items by position"),
        pytest.param("a[-1]", {"a": ["x"]}, {"a": ["y", "z"]}, [("a/0", None)], id="not the same last one"),
        pytest.param("a[*].b", {"a": [{"b": "x"}]}, {"a": [{"b": "y"}]}, [("a/0/b", "y")], id="items that are equal"),
        pytest.param(
            "a[*].b", {"a": [{"b": "x", "c": "1"}]}, {"a": [{"b": "y", "c": "2"}]}, [("a/0/b", None)], id="others"
        ),
        pytest.param("a[*]", {"a": ["x"]}, {"a": {"0": "y"}}, [("a/0", None)], id="a list and a map"),
        pytest.param("a.b", {"a": {"b": "x"}}, {"a": {"b": "x"}}, [("a/b", None)], id="equal bytes are not opened"),
    ],
)
def test_finds_what_stands_in_the_same_place(at: str, one: Json, other: Json, pairs_found: Json) -> None:
    assert found(at, one, other) == pairs_found


def test_only_untouched_bytes_are_equal_as_they_were_sent() -> None:
    assert equal_as_sent(raw("[1]"), raw("[1]"))
    assert not equal_as_sent(raw("[1]"), raw("[2]"))
    assert not equal_as_sent([], [])
