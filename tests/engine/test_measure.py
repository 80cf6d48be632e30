"""How many bytes a value takes in etcd, beside a slow reference that writes it as Go does."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from admission.engine.measure import escaped_size, stored_size
from admission.engine.values import quoted
from admission.errors import DocumentError
from tests.engine.build import Json, custom_resource, decide, go, judge, truncate, write
from tests.engine.oracle import as_go_writes


@pytest.mark.parametrize(
    ("text", "size"),
    [
        pytest.param("null", 4, id="null"),
        pytest.param(' { "a" : [ 1 , 2 ] } ', 11, id="blanks between tokens"),
        pytest.param('"a b"', 5, id="a blank in a text"),
        pytest.param('"<"', 8, id="html"),
        pytest.param('">&"', 14, id="more html"),
        pytest.param('"\\u003c"', 8, id="html escaped already"),
        pytest.param('"\\u003C"', 8, id="in capitals"),
        pytest.param('"\u2028\u2029"', 14, id="separators"),
        pytest.param('"\\u2028"', 8, id="a separator escaped already"),
        pytest.param('"\\n\\r\\t\\b\\f\\"\\\\"', 16, id="short escapes"),
        pytest.param('"\\u000a\\u000D\\u0009\\u0008\\u000c\\u0022\\u005c"', 16, id="short escapes written long"),
        pytest.param('"\\u0001\\u001f"', 14, id="control characters"),
        pytest.param('"\\u007f"', 3, id="delete is no control character"),
        pytest.param('"\\/"', 3, id="a slash that need not be escaped"),
        pytest.param('"\\u0061"', 3, id="a letter that need not be escaped"),
        pytest.param('"\\u00e9"', 4, id="two bytes of UTF-8"),
        pytest.param('"\\u20ac"', 5, id="three"),
        pytest.param('"\\ud83d\\ude00"', 6, id="a pair of surrogates is four"),
        pytest.param('"\\\\u003c"', 9, id="an escaped backslash before a u"),
        pytest.param('"\\\\\\u003c"', 10, id="an escaped backslash before an escape"),
        pytest.param('{"<":"é"}', 15, id="member names count too"),
        pytest.param("12345678901234567890.0", 22, id="a number as it is written"),
    ],
)
def test_measures_as_go_writes(text: str, size: int) -> None:
    assert stored_size(text.encode()) == size


JSON_VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.text('<>&\u2028\u2029\x01\x1f\x7f\n\r\t\b\f"\\/é😀a'),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4) | st.text('<&"\u2028'), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(JSON_VALUES, st.booleans(), st.sampled_from([None, 0, 2]))
def test_measures_like_a_slow_writer_whatever_the_form(value: Json, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert stored_size(text.encode()) == len(as_go_writes(value).encode())
    assert stored_size(as_go_writes(value).encode()) == len(as_go_writes(value).encode())


@given(JSON_VALUES)
def test_member_names_that_were_decoded_are_measured_as_stored(value: Json) -> None:
    names_raw = json.dumps({"x": value}, ensure_ascii=False, separators=(",", ":"))
    assert escaped_size(names_raw.encode()) == len(as_go_writes({"x": value}).encode())


@given(st.text())
def test_writes_a_text_as_go_does(text: str) -> None:
    assert bytes(quoted(text)).decode() == as_go_writes(text)


def test_what_is_no_json_cannot_be_measured() -> None:
    with pytest.raises(DocumentError):
        stored_size(b"{")


STATUS: Json = {"a<b": {"c&d": ["x" * 99, {"\u2028": 1}]}, "é": "<>"}


def test_a_decision_tells_stored_sizes_in_every_form_of_the_bytes() -> None:
    step = truncate(40, "status['a<b']['c&d'][0]", marker="<")
    before = len(go(STATUS))
    after = len(go(STATUS)) - 99 + 39 + 6
    as_go_writes = decide(step, STATUS)
    assert (as_go_writes.bytes_before, as_go_writes.bytes_after) == (before, after)
    assert as_go_writes.policies[0].bytes_removed == before - after
    indented = judge(step, write(json.dumps(custom_resource(STATUS), indent=1)))
    assert (indented.bytes_before, indented.bytes_after) == (before, after)
    assert indented.policies[0].bytes_removed == before - after
