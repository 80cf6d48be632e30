"""What a path leads to, read without opening anything in place."""

import pytest
from msgspec import Raw

from admission.engine.places import walk
from admission.engine.reach import reach
from admission.engine.values import Value, encode, opened
from tests.engine.build import path, raw

STATUS = '{"nodes":{"a":{"l":[1,2]},"b":{"l":[1,2,3]},"c":7},"history":[{"m":"x"},{"m":"yy"},5,{"n":1}]}'


def found(text: str, at_least: int = 0) -> list[tuple[str, bytes]]:
    reached = reach(raw(STATUS), path(text).segments, (), at_least)
    return [("/".join(map(str, trail)), encode(value)) for trail, value in reached]


@pytest.mark.parametrize(
    ("text", "leads_to"),
    [
        pytest.param("nodes.*.l", [("nodes/a/l", b"[1,2]"), ("nodes/b/l", b"[1,2,3]")], id="a map wildcard"),
        pytest.param("history[*].m", [("history/0/m", b'"x"'), ("history/1/m", b'"yy"')], id="a list wildcard"),
        pytest.param("history[-1].n", [("history/3/n", b"1")], id="an index"),
        pytest.param("history[1:3]", [("history/1", b'{"m":"yy"}'), ("history/2", b"5")], id="a slice"),
        pytest.param("nodes.c.l", [], id="another type on the way"),
        pytest.param("none.l", [], id="an absent member"),
        pytest.param(".", [("", STATUS.encode())], id="the value itself"),
    ],
)
def test_leads_where_a_walk_leads(text: str, leads_to: list[tuple[str, bytes]]) -> None:
    assert found(text) == leads_to
    if path(text).segments:
        walked = walk(opened(raw(STATUS)) or {}, path(text).segments)
        assert [("/".join(map(str, (*trail, key)))) for trail, _, key in walked] == [place for place, _ in leads_to]


def test_opens_nothing_in_place() -> None:
    members = opened(raw(STATUS))
    assert isinstance(members, dict)
    assert len(list(reach(members, path("nodes.*.l").segments, ()))) == 2
    assert {type(value) for value in members.values()} == {Raw}


def test_goes_through_what_is_open_already() -> None:
    half_open: Value = {"nodes": {"a": {"l": [raw("1")]}}}
    assert [encode(value) for _, value in reach(half_open, path("nodes.*.l[*]").segments, ())] == [b"1"]


def test_what_is_too_small_is_passed_over_with_all_that_is_in_it() -> None:
    assert found("nodes.*.l", at_least=7) == [("nodes/b/l", b"[1,2,3]")]
    assert found("nodes.*.l", at_least=100) == []
