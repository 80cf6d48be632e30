"""JSON that the API server would not take is refused where it stands."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from admission.errors import DocumentError
from admission.offline.strictjson import is_json, values_of

KEYS = st.text(alphabet='a"\\,:{[ \n', max_size=3)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | KEYS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=10,
)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param(b'{"a": 1, "b": {"a": 1}, "c": ["a", "a", {"a": 1}, {"a": 1}]}', 1, id="a key in each object"),
        pytest.param(b'{"a":1}\n{"a":1}\n', 2, id="one a line"),
        pytest.param(b'{"a": 1e308, "b": 1E-999, "c": 123456789012345678901234567890}', 1, id="numbers that fit"),
        pytest.param(b'"a"', 1, id="a text"),
    ],
)
def test_reads_what_is_right(text: bytes, count: int) -> None:
    assert len(values_of(text, "o.json")) == count


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param(b'{"a": 1,\n "a": 2}', "o.json:2: the key 'a' occurs twice", id="a key twice"),
        pytest.param(rb'{"a": 1, "\u0061": 2}', "o.json:1: the key 'a' occurs twice", id="written in two ways"),
        pytest.param(b'[{"b": [{}, 1],\n"c": {},\n"b": 2}]', "o.json:3: the key 'b' occurs twice", id="deep inside"),
        pytest.param(b'{"a": 1}\n{"b": 1, "b": 2}', "o.json:2: the key 'b' occurs twice", id="in the second line"),
        pytest.param(b'{"a":\n1e400}', "o.json:2: 1e400 is too large for a number; quote it if it is text", id="large"),
        pytest.param(b'{"a":\n"\xff"}', "o.json:2: is no UTF-8 text (byte 8); save it as UTF-8", id="not UTF-8"),
        pytest.param(b'{"a":\nNaN}', "o.json:2: not valid JSON: JSON is malformed: invalid character", id="NaN"),
        pytest.param(b'{"a": 01}', "o.json:1: not valid JSON: JSON is malformed: invalid number", id="a leading zero"),
        pytest.param(b'{"a":\n\n', "o.json:1: not valid JSON: Input data was truncated", id="cut off"),
        pytest.param(b"[" * 3_000, "o.json: it is nested too deep", id="too deep"),
    ],
)
def test_says_where_it_is_wrong(text: bytes, told: str) -> None:
    with pytest.raises(DocumentError) as caught:
        values_of(text, "o.json")
    assert str(caught.value) == told


@pytest.mark.parametrize(
    ("text", "expected"),
    [(b'{"a": 1, "a": 2}', True), (b"1\n2\n", True), (b"[" * 3_000, True), (b"{a: 1}", False), (b"{", False)],
)
def test_knows_json_from_yaml_that_begins_alike(text: bytes, expected: bool) -> None:
    assert is_json(text) is expected


@settings(deadline=None)  # a busy machine is no fault
@given(VALUES, st.booleans())
def test_takes_whatever_a_json_library_writes(value: object, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    (found,) = values_of(text.encode(), "o.json")
    assert bytes(found).decode() == text
