"""Texts of items, read in one pass."""

from __future__ import annotations

import pytest
from msgspec import Raw

from admission.engine.texts import texts_of, texts_of_each
from admission.engine.values import List, opened
from admission.errors import DocumentError
from tests.engine.build import raw


@pytest.mark.parametrize(
    ("item", "texts"),
    [
        ('{"type":"A","time":"t","x":[1,{"type":"B"}]}', ("A", "t")),
        ('{"type":"A"}', ("A", None)),
        ('{"type":null,"time":"t"}', (None, "t")),
        ('{"type":7,"time":"t"}', (None, "t")),
        ('{"type":{},"time":"\\u003c"}', (None, "<")),
        ("{}", (None, None)),
        ('{"ty\\u0070e":"A"}', ("A", None)),
        ("[]", None),
        ("7", None),
        ('"type"', None),
        ("null", None),
    ],
)
def test_picks_texts_out_of_an_item(item: str, texts: tuple[str | None, ...] | None) -> None:
    assert texts_of(raw(item), ("type", "time")) == texts
    assert texts_of(opened(raw(item)) or raw(item), ("type", "time")) == texts


def test_a_list_is_read_like_its_items_one_by_one() -> None:
    texts = ['{"type":"A"}', "7", '{"type":{}}', "[]", '{"type":"B","x":1}']
    items: List = [raw(text) for text in texts]
    assert texts_of_each(items, ("type",)) == [("A",), None, (None,), None, ("B",)]
    assert texts_of_each(items[4:], ("type",)) == [("B",)]


@pytest.mark.parametrize("fields", [('a"b',), ("a", "a"), ("a\n",)])
def test_any_name_can_be_read(fields: tuple[str, ...]) -> None:
    item = raw('{"a":"1","a\\"b":"1","a\\n":"1"}')
    assert texts_of(item, fields) == texts_of_each([item], fields)[0] == ("1",) * len(fields)


def test_bad_utf8_is_an_error_of_the_document() -> None:
    with pytest.raises(DocumentError):
        texts_of(Raw(b'{"type":"\xff"}'), ("type",))
