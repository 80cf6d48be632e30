"""Paths: what they cover, how they print, what is wrong with a wrong one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from admission.engine.fieldpath import SELF, EveryEntry, FieldPath, Index, Items, Member, Segment
from admission.engine.values import encode, leads_to, pointer, read, walk
from admission.errors import FieldPathError, PolicyError
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


def test_a_dot_is_the_value_itself() -> None:
    assert path(".") == path("$") == SELF
    assert str(SELF) == "."
    assert [encode(value) for value in read([raw("7")], 0, SELF)] == [b"7"]


@pytest.mark.parametrize(
    ("text", "prints"),
    [
        ("status.conditions[*].message", "status.conditions[*].message"),
        (".status", "status"),
        ("$.status", "status"),
        ("$['status']", "status"),
        ("status['a.b/c']", "status['a.b/c']"),
        ('status["plain"]', "status.plain"),
        ("a[:]", "a[*]"),
        ("a[1:-2]", "a[1:-2]"),
        ("a[-1].b", "a[-1].b"),
        ("*.x", "*.x"),
        ("[*].x", "[*].x"),
        ("a['*']", "a['*']"),
        ("a['$x']", "a['$x']"),
        ("a['x y']", "a['x y']"),
        ("a-b.c/d", "a-b.c/d"),
        ("é.ü", "é.ü"),
        ("a['']", "a['']"),
        ("a['back\\\\slash']", "a.back\\slash"),
    ],
)
def test_prints_in_one_form(text: str, prints: str) -> None:
    assert str(path(text)) == prints
    assert path(prints) == path(text)


INTEGERS = st.integers(-999, 999)
SEGMENTS: st.SearchStrategy[Segment] = st.one_of(
    st.builds(Member, st.text(max_size=6) | st.text(".*[]'\"\\$ a\n", max_size=4)),
    st.just(EveryEntry()),
    st.builds(Items, st.none() | INTEGERS, st.none() | INTEGERS),
    st.builds(Index, INTEGERS),
)


@given(st.lists(SEGMENTS, max_size=5).map(lambda segments: FieldPath(tuple(segments))))
def test_reads_back_what_it_prints(some: FieldPath) -> None:
    assert FieldPath.parse(str(some)) == some


@pytest.mark.parametrize(
    "text",
    ["", "..", "a.", "a..b", "a b", "a[", "a[]", "a[x]", "a[1:2:3]", "a['b]", "a[0]b", "$a", "a.'b'", "a[*", "a\n"],
)
def test_a_wrong_path_says_what_is_allowed(text: str) -> None:
    with pytest.raises(FieldPathError) as caught:
        path(text)
    assert isinstance(caught.value, PolicyError)
    assert "expected" in str(caught.value) or "write" in str(caught.value) or "use" in str(caught.value)


@given(st.lists(st.integers(0, 9), max_size=7), st.none() | INTEGERS, st.none() | INTEGERS)
def test_a_slice_is_python_s(items: list[int], start: int | None, stop: int | None) -> None:
    assert [items[position] for position in Items(start, stop).positions(len(items))] == items[start:stop]


@pytest.mark.parametrize("text", ["a[*].b", "a[1:2]", "a[-1]", "m.*.b", "m['a.b/c']", "a[-2][0]"])
def test_a_path_covers_the_trails_that_it_leads_along(text: str) -> None:
    members = {name: raw(go(value)) for name, value in A_VALUE.items()}
    trails = [(*trail, key) for trail, _, key in walk(members, path(text).segments)]  # type: ignore[arg-type]
    assert trails
    assert all(leads_to(path(text), trail) for trail in trails)
    assert not any(leads_to(path(text), (*trail, "more")) or leads_to(path(text), trail[:-1]) for trail in trails)
    for trail in trails:
        assert pointer(trail).count("/") == len(trail)


def test_tells_its_names_and_its_parent() -> None:
    assert path("status.a[*].b.*.c").names == ("status", "a", "b", "c")
    assert path("status.a[*].b").parent == path("status.a[*]")


@given(st.text(max_size=5), st.text(max_size=5))
def test_pointers_escape_their_tokens(first: str, second: str) -> None:
    tokens = pointer((first, 3, second)).split("/")[1:]
    assert [token.replace("~1", "/").replace("~0", "~") for token in tokens] == [first, "3", second]
