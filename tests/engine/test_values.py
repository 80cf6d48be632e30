"""JSON values that stay the bytes they came in until somebody looks inside."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from admission.engine.places import read
from admission.engine.values import (
    ANY_NUMBER,
    MOST_MEMBERS,
    Value,
    encode,
    is_null,
    open_child,
    open_object,
    opened,
    same,
    scalar_text,
    text_of,
)
from admission.errors import DocumentError
from tests.engine.build import Json, exact, go, path, raw


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        ("1", "1", True),
        ("1", "1.0", False),
        ("1", "true", False),
        ("0", "false", False),
        ("1e2", "100", False),
        ("9007199254740992", "9007199254740993", False),
        ('"1"', "1", False),
        ("null", '"null"', False),
        ("null", "false", False),
        ("null", "null", True),
        ('"a"', '"\\u0061"', True),
        ('"\\u003c"', '"<"', True),
        ('"\\/"', '"/"', True),
        ('"\\ud83d\\ude00"', '"😀"', True),
        ('"a"', '"A"', False),
        ('""', '""', True),
        ("{}", "[]", False),
        ("{}", "null", False),
        ("[]", '""', False),
        ('{"a":1,"b":2}', '{"b":2,"a":1}', True),
        ('{"a":1}', '{"a":1,"b":null}', False),
        ('{"a":1}', '{"b":1}', False),
        ('{"\\u0061":1}', '{"a":1}', True),
        ('{ "a" : [ 1 , 2 ] }', '{"a":[1,2]}', True),
        ("[1,2]", "[2,1]", False),
        ("[1,2]", "[1,2,3]", False),
        ("[[],{}]", "[[],{}]", True),
        ('[{"a":1.0}]', '[{"a":1}]', False),
    ],
)
def test_values_are_the_same_as_json(left: str, right: str, equal: bool) -> None:
    assert same(raw(left), raw(right)) is equal
    assert same(raw(right), raw(left)) is equal
    assert same(_opened(raw(left)), raw(right)) is equal


def _opened(value: Raw) -> Value:
    inside = opened(value)
    return value if inside is None else inside


NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES, VALUES, st.booleans(), st.sampled_from([None, 1]))
def test_sameness_is_that_of_a_slow_comparison(left: Json, right: Json, ascii_only: bool, indent: int | None) -> None:
    texts = [go(left), json.dumps(left, ensure_ascii=ascii_only, indent=indent).encode(), go(right)]
    assert same(raw(texts[0]), raw(texts[1]))
    assert same(raw(texts[0]), raw(texts[2])) is (exact(texts[0]) == exact(texts[2]))


@given(VALUES)
def test_opening_loses_nothing(value: Json) -> None:
    holder: list[Value] = [raw(go(value))]
    _open_all(holder)
    assert exact(encode(holder[0])) == exact(go(value))


def _open_all(container: list[Value] | dict[str, Value]) -> None:
    for key in list(container) if isinstance(container, dict) else range(len(container)):
        inside = open_child(container, key)
        if inside is not None:
            _open_all(inside)


def test_numbers_come_back_as_they_were_written() -> None:
    text = b'{"a":1.0,"b":[1e5,12345678901234567890,-0,0.10]}'
    holder: list[Value] = [raw(text)]
    _open_all(holder)
    assert encode(holder[0]) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("7", "7"),
        ("1.0", "1.0"),
        ("true", "true"),
        ("null", "null"),
        ('"\\u003c"', "<"),
        ("[]", None),
        ('{"a":1}', None),
    ],
)
def test_scalars_have_a_text(value: str, text: str | None) -> None:
    assert scalar_text(raw(value)) == text
    assert text_of(raw(value)) == (text if value.startswith('"') else None)
    assert scalar_text(_opened(raw(value))) == text


def test_absent_is_null_where_a_policy_reads() -> None:
    assert is_null(None)
    assert is_null(raw("null"))
    assert is_null(raw("[ null ]")) is False
    assert not is_null(raw("0"))
    assert not is_null({})
    assert text_of(None) is None


@pytest.mark.parametrize("bad", [b'{"a":', b"[1,", b'{"a" 1}', b'{"a":\xff"}'])
def test_what_cannot_be_decoded_is_an_error_of_the_document(bad: bytes) -> None:
    with pytest.raises(DocumentError):
        opened(Raw(bad))


def test_bad_utf8_in_a_text_is_an_error_of_the_document() -> None:
    for reads in (text_of, scalar_text):
        with pytest.raises(DocumentError):
            reads(Raw(b'"\xff\xfe"'))


@pytest.mark.parametrize(
    ("around", "member"), [pytest.param("[]", "{}", id="a list"), pytest.param("{}", '"%d":0', id="a map")]
)
def test_opens_no_more_than_there_is_time_for(around: str, member: str) -> None:
    def of(number: int) -> Raw:
        return raw(around[0] + ",".join(member.replace("%d", str(one)) for one in range(number)) + around[1])

    inside = opened(of(MOST_MEMBERS))
    assert inside is not None
    assert len(inside) == MOST_MEMBERS
    with pytest.raises(DocumentError, match="has 100001 members, more than 100000"):
        opened(of(MOST_MEMBERS + 1))
    counted = opened(of(MOST_MEMBERS + 1), ANY_NUMBER)
    assert counted is not None
    assert len(counted) == MOST_MEMBERS + 1


def test_opens_only_what_is_asked_for() -> None:
    holder: list[Value] = [raw('{"a":{"b":1},"c":{"d":2}}')]
    assert read(holder, 0, path("a.b"))[0] == raw("1")
    members = open_object(holder, 0)
    assert members is not None
    assert isinstance(members["a"], dict)
    assert type(members["c"]) is Raw
    assert open_object([raw("[]")], 0) is None


def test_blanks_before_a_value_do_not_hide_its_type() -> None:
    assert opened(Raw(b" \n[1]")) == [raw("1")]
    assert text_of(Raw(b'\t"a"')) == "a"
    assert scalar_text(Raw(b" 7 ")) == "7"
