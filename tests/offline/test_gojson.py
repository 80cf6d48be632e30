"""Objects from files become the bytes that the API server stores."""

import pytest

from admission.errors import DocumentError
from admission.offline.gojson import documents_of, encode, json_number, tree_of_json


def stored(text: str) -> list[bytes]:
    return [encode(document) for document in documents_of(text.encode(), "o.yaml")]


@pytest.mark.parametrize(
    ("text", "bytes_"),
    [
        pytest.param("b: 1\na: 2", b'{"a":2,"b":1}', id="members are sorted"),
        pytest.param('{"b": 1, "a": [ 1 , 2 ]}', b'{"a":[1,2],"b":1}', id="JSON loses its blanks"),
        pytest.param("a: <b> & c", rb'{"a":"\u003cb\u003e \u0026 c"}', id="HTML is escaped"),
        pytest.param('{"a": "<"}', rb'{"a":"\u003c"}', id="HTML in JSON is escaped, too"),
        pytest.param(r'{"a": "\u00e9\/"}', '{"a":"é/"}'.encode(), id="escapes that Go would not write are undone"),
        pytest.param('"<": 1', rb'{"\u003c":1}', id="HTML in keys is escaped"),
        pytest.param("a: 12345678901234567890123", b'{"a":12345678901234567890123}', id="an integer of any size"),
        pytest.param("a: 1.0\nb: 1\nc: 1e3", b'{"a":1.0,"b":1,"c":1e3}', id="numbers keep their text"),
        pytest.param('{"a": 1.50, "b": 1E40}', b'{"a":1.50,"b":1E40}', id="numbers in JSON keep their text"),
        pytest.param("a: 0o17\nb: 0x1F\nc: 007\nd: +1\ne: .5", b'{"a":15,"b":31,"c":7,"d":1,"e":0.5}', id="YAML forms"),
        pytest.param("a: NO\nb: on\nc: 12:30:45", b'{"a":"NO","b":"on","c":"12:30:45"}', id="YAML 1.1 traps are text"),
        pytest.param("a: 2026-01-01T00:00:00Z", b'{"a":"2026-01-01T00:00:00Z"}', id="a time is text"),
        pytest.param("a: ~\nb:\nc: True", b'{"a":null,"b":null,"c":true}', id="null and booleans"),
        pytest.param("a: &x {b: 1}\nc: *x", b'{"a":{"b":1},"c":{"b":1}}', id="an alias"),
        pytest.param('\ufeff{"a": 1}', b'{"a":1}', id="a byte order mark"),
        pytest.param("{a: 1}", b'{"a":1}', id="YAML that begins with a brace"),
    ],
)
def test_writes_an_object_as_go_does(text: str, bytes_: bytes) -> None:
    assert stored(text) == [bytes_]


def test_reads_several_documents_and_leaves_out_empty_ones() -> None:
    assert stored("a: 1\n---\n---\n# nothing\n---\na: 2\n") == [b'{"a":1}', b'{"a":2}']


def test_reads_one_json_object_a_line() -> None:
    assert stored('{"a":1}\n{"a":2}\n') == [b'{"a":1}', b'{"a":2}']


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("a: 1\na: 2", "o.yaml:2: the key 'a' occurs twice", id="a key twice"),
        pytest.param("a: 0x" + "f" * 5_000, "o.yaml:1: 0xff", id="more digits than Python writes"),
        pytest.param("b: 1\na: 1e400", "o.yaml:2: 1e400 is no number in JSON", id="too large for a float"),
        pytest.param("a: .nan", "o.yaml:1: .nan is no number in JSON", id="not a number"),
        pytest.param("a:\n  - b: [", "o.yaml:3: not valid YAML", id="broken"),
        pytest.param("a: &x\n  b: *x", "o.yaml:1: an alias leads to its own parent", id="a circle"),
        pytest.param("? [1]\n: 2", "o.yaml:1: a key must be text", id="a list as key"),
        pytest.param("a: !!python/none x", "is not JSON", id="a tag"),
        pytest.param("a: " + "[" * 300 + "]" * 300, "nested deeper", id="too deep"),
    ],
)
def test_says_where_a_file_is_wrong(text: str, message: str) -> None:
    with pytest.raises(DocumentError) as caught:
        stored(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param('{"a": NaN}', "o.json:1: not valid JSON", id="NaN"),
        pytest.param('{\n"a": 01}', "o.json:2: not valid JSON", id="a zero too many"),
        pytest.param("a: 1", "o.json:1: not valid JSON", id="YAML"),
        pytest.param('{\n\n"a": 1', "o.json:3: not valid JSON", id="cut off"),
        pytest.param('{"a": "\\ud800"}', "o.json:", id="half a character"),
    ],
)
def test_a_file_that_says_so_must_be_json(text: str, message: str) -> None:
    with pytest.raises(DocumentError) as caught:
        list(documents_of(text.encode(), "o.json"))
    assert str(caught.value).startswith(message)


def test_an_empty_json_file_holds_nothing() -> None:
    assert list(documents_of(b"\n", "o.json")) == []


@pytest.mark.parametrize("levels", [300, 1_000, 3_000, 100_000])
@pytest.mark.parametrize("name", ["o.json", "o.yaml"])
@pytest.mark.parametrize(("opening", "closing"), [('{"a":', "}"), ("[", "]"), ("- ", "")], ids=["{", "[", "-"])
def test_any_depth_is_refused_with_the_name_of_the_file(name: str, levels: int, opening: str, closing: str) -> None:
    if name == "o.json" and not closing:
        return
    with pytest.raises(DocumentError, match="nest") as caught:
        list(documents_of((opening * levels + "1" + closing * levels).encode(), name))
    assert str(caught.value).startswith(name)


@pytest.mark.parametrize("text", ['{"a":', '{"a": "\\ud800"}', "[" * 2000 + "]" * 2000, "nul"])
def test_refuses_what_is_no_json(text: str) -> None:
    with pytest.raises(DocumentError):
        tree_of_json(text.encode())


@pytest.mark.parametrize(
    ("text", "number"), [("-0", "-0"), ("-.5e3", "-0.5e3"), ("1.", "1"), (".inf", None), ("-0x10", "-16")]
)
def test_writes_a_yaml_number_as_json(text: str, number: str | None) -> None:
    assert json_number(text) == number


def test_a_later_anchor_takes_over_the_name_of_an_earlier_one() -> None:
    found = [encode(tree) for tree in documents_of(b"a: &x 1\nb: *x\nc: &x 2\nd: *x\n---\ne: &x 3\n", "o.yaml")]
    assert found == [b'{"a":1,"b":1,"c":2,"d":2}', b'{"e":3}']
