"""The names in ``fieldsV1``: which item an element means, however the one or the other is written."""

from __future__ import annotations

import pytest
from msgspec import Raw

from admission.engine.elements import Lookup, canonical, canonical_text, open_keys
from tests.engine.build import raw

ITEMS = ('{"id":"<a>","n":1}', '{"n":1.0,"id":"b"}', '"x"', "7", '{"id":"b","n":2}')


@pytest.mark.parametrize(
    ("name", "position"),
    [
        pytest.param('k:{"id":"<a>"}', 0, id="a key"),
        pytest.param(r'k:{"id":"\u003ca\u003e"}', 0, id="a key with escapes"),
        pytest.param('k:{"id":"b"}', 1, id="the first of two with the key"),
        pytest.param('k:{"id":"b","n":2}', 4, id="two members"),
        pytest.param('k:{"n":2,"id":"b"}', 4, id="two members, the other way round"),
        pytest.param('k:{"id":"c"}', None, id="a key that no item has"),
        pytest.param("k:{bad", None, id="a body that is no JSON"),
        pytest.param('v:"x"', 2, id="a value"),
        pytest.param(r'v:"\u0078"', 2, id="a value with escapes"),
        pytest.param("v:7", 3, id="a number"),
        pytest.param('v:"7"', None, id="a text that looks like a number"),
        pytest.param("v:", None, id="no value"),
    ],
)
def test_finds_the_item_that_an_element_names(name: str, position: int | None) -> None:
    assert Lookup(map(raw, ITEMS)).position(name) == position


def test_values_are_alike_however_they_are_escaped_and_numbers_as_they_are_written() -> None:
    assert canonical(raw(r'{"b":"\u003c","a":1}')) == canonical(raw('{"a":1,"b":"<"}'))
    assert canonical(raw("1")) != canonical(raw("1.0"))
    assert canonical_text("{") is None


@pytest.mark.parametrize("body", [b"7", b"[]", b"{", b""])
def test_a_body_that_is_no_object_names_no_members(body: bytes) -> None:
    assert open_keys(body) is None


def test_the_members_that_a_body_names_stay_untouched() -> None:
    assert open_keys(b'{"port":80}') == {"port": Raw(b"80")}
