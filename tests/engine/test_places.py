"""Places: where paths lead in an object, and what a pointer looks like."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from admission.engine.fieldpath import SELF
from admission.engine.places import covers, keys_at, leads_to, pointer, read, walk
from admission.engine.values import encode
from tests.engine.build import go, path, raw

A_VALUE = {
    "a": [{"b": 0}, {"b": 1}, {"b": None}, {"c": 2}, [3], "text"],
    "m": {"x": {"b": 7}, "a.b/c": {"b": 8}, "": {"b": 9}, "it's": {"b": 10}},
    "n": None,
}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("a[*].b", [0, 1], id="every item; null is absent"),
        pytest.param("a[0].b", [0], id="an index"),
        pytest.param("a[-2][0]", [3], id="an index from the end"),
        pytest.param("a[9]", [], id="an index past the end"),
        pytest.param("a[-9]", [], id="an index before the start"),
        pytest.param("a[1:].b", [1], id="a slice from"),
        pytest.param("a[:1].b", [0], id="a slice to"),
        pytest.param("a[:-1].b", [0, 1], id="all but the last"),
        pytest.param("a[-9:9].b", [0, 1], id="a slice beyond both ends"),
        pytest.param("a[2:1].b", [], id="an empty slice"),
        pytest.param("m.*.b", [7, 8, 9, 10], id="every entry"),
        pytest.param("m['a.b/c'].b", [8], id="a quoted name"),
        pytest.param('m["a.b/c"].b', [8], id="double quotes"),
        pytest.param("m[''].b", [9], id="the empty name"),
        pytest.param("m['it\\'s'].b", [10], id="an escaped quote"),
        pytest.param("['m'].x.b", [7], id="a quoted name at the start"),
        pytest.param(".m.x.b", [7], id="a leading dot"),
        pytest.param("$.m.x.b", [7], id="a leading dollar"),
        pytest.param("$['m'].x.b", [7], id="a dollar and a bracket"),
        pytest.param("n", [], id="null"),
        pytest.param("n.x", [], id="below null"),
        pytest.param("none.x", [], id="below an absent member"),
        pytest.param("a.b", [], id="a member of a list"),
        pytest.param("m[*]", [], id="an item of an object"),
        pytest.param("m[0]", [], id="an index of an object"),
        pytest.param("a.*", [], id="an entry of a list"),
        pytest.param("a[5].x", [], id="a member of a text"),
        pytest.param("a[0].b.c", [], id="below a number"),
    ],
)
def test_leads_to_values(text: str, found: list[int]) -> None:
    holder = [raw(go(A_VALUE))]
    values = read(holder, 0, path(text))  # type: ignore[arg-type]
    assert sorted(map(int, map(encode, values))) == found


def test_a_dot_leads_to_the_value_itself() -> None:
    assert [encode(value) for value in read([raw("7")], 0, SELF)] == [b"7"]


@pytest.mark.parametrize("text", ["a[*].b", "a[1:2]", "a[-1]", "m.*.b", "m['a.b/c']", "a[-2][0]"])
def test_a_path_covers_the_trails_that_it_leads_along(text: str) -> None:
    members = {name: raw(go(value)) for name, value in A_VALUE.items()}
    trails = [(*trail, key) for trail, _, key in walk(members, path(text).segments)]  # type: ignore[arg-type]
    assert trails
    assert all(leads_to(path(text), trail) for trail in trails)
    assert not any(leads_to(path(text), (*trail, "more")) or leads_to(path(text), trail[:-1]) for trail in trails)
    for trail in trails:
        assert pointer(trail).count("/") == len(trail)


@pytest.mark.parametrize("text", ["a", "*", "[0]", "[-1]", "[9]", "[*]", "[1:]", "[:-1]", "[-9:2]"])
def test_a_segment_covers_the_keys_that_it_leads_to_and_no_others(text: str) -> None:
    (segment,) = path(text).segments
    for container in ({name: raw("1") for name in "ab"}, [raw("1")] * 3):
        keys = container if isinstance(container, dict) else range(3)
        covered = [key for key in keys if covers(segment, container, key)]  # type: ignore[arg-type]
        assert covered == list(keys_at(container, segment))  # type: ignore[arg-type]


@given(st.text(max_size=5), st.text(max_size=5))
def test_pointers_escape_their_tokens(first: str, second: str) -> None:
    tokens = pointer((first, 3, second)).split("/")[1:]
    assert [token.replace("~1", "/").replace("~0", "~") for token in tokens] == [first, "3", second]
