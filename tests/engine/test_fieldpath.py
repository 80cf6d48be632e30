"""Paths: what they cover, how they print, what is wrong with a wrong one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from admission.engine.fieldpath import SELF, EveryEntry, FieldPath, Index, Items, Member, Segment
from admission.errors import FieldPathError, PolicyError
from tests.engine.build import path


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


def test_a_dot_is_the_value_itself() -> None:
    assert path(".") == path("$") == SELF
    assert str(SELF) == "."


@given(st.lists(st.integers(0, 9), max_size=7), st.none() | INTEGERS, st.none() | INTEGERS)
def test_a_slice_is_python_s(items: list[int], start: int | None, stop: int | None) -> None:
    assert [items[position] for position in Items(start, stop).positions(len(items))] == items[start:stop]


def test_tells_its_names_and_its_parent() -> None:
    assert path("status.a[*].b.*.c").names == ("status", "a", "b", "c")
    assert path("status.a[*].b").parent == path("status.a[*]")
