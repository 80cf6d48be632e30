"""Reading YAML: 1.2 scalars, lines, bounds, broken files."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from admission.policyfile.yamlfile import load_documents, parse_documents


def value_of(text: str) -> Any:
    (document,) = load_documents(text.encode(), "p.yaml")
    return document.data


def problems_of(content: bytes | str) -> list[str]:
    _, problems = parse_documents(content.encode() if isinstance(content, str) else content, "p.yaml")
    return [str(problem) for problem in problems]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("NO", "NO", id="Norway is a country"),
        pytest.param("on", "on", id="on is a word"),
        pytest.param("yes", "yes", id="yes is a word"),
        pytest.param("Off", "Off", id="Off is a mode"),
        pytest.param("2026-01-01", "2026-01-01", id="a date is text"),
        pytest.param("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", id="a time is text"),
        pytest.param("12:30", "12:30", id="no base 60"),
        pytest.param("1_000", "1_000", id="no digits with underscores"),
        pytest.param("017", 17, id="a leading zero is decimal"),
        pytest.param("0o17", 15, id="octal as 1.2 writes it"),
        pytest.param("0x1F", 31, id="hexadecimal"),
        pytest.param("1e3", 1000.0, id="an exponent is a number with a fraction"),
        pytest.param("1.0", 1.0, id="1.0 is not 1"),
        pytest.param("9007199254740993", 9007199254740993, id="an integer above 2^53 stays exact"),
        pytest.param("true", True, id="true"),
        pytest.param('"true"', "true", id="a quoted word is text"),
        pytest.param("!!str 1", "1", id="an explicit core tag"),
        pytest.param("[~, null, '']", [None, None, ""], id="null"),
        pytest.param("{1: a, true: b, NO: c}", {"1": "a", "true": "b", "NO": "c"}, id="keys are text"),
        pytest.param("<<: {a: 1}", {"<<": {"a": 1}}, id="a merge key is a key"),
        pytest.param("[&a {x: 1}, *a]", [{"x": 1}, {"x": 1}], id="an alias"),
        pytest.param("a: |\n  x\n  y\n", {"a": "x\ny\n"}, id="a block of text"),
        pytest.param("\ufeffa: 1\r\nb: 2\r\n", {"a": 1, "b": 2}, id="byte order mark and CRLF"),
        pytest.param('{\n\t"a": [1,\n\t2]}', {"a": [1, 2]}, id="JSON with tabs"),
    ],
)
def test_scalars_follow_the_core_schema(text: str, value: Any) -> None:
    found = value_of(text)
    assert found == value
    assert type(found) is type(value)


def test_json_may_write_an_emoji_as_two_escapes() -> None:
    assert value_of(' {"a": "\\ud83d\\ude00 \\\\ud83d"}') == {"a": "😀 \\ud83d"}


def test_documents_keep_the_lines_of_their_file() -> None:
    first, second = load_documents(b"---\na: 1\n---\n---\n# nothing\n---\nb: 2\n...\n", "p.yaml")
    assert (first.data, first.lines.line) == ({"a": 1}, 2)
    assert (second.data, second.lines.line) == ({"b": 2}, 7)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        pytest.param(
            "a: 1\nb: 2\na: 3\n",
            'p.yaml:3: the key "a" occurs twice in one map (first in line 1); keep one',
            id="a key twice",
        ),
        pytest.param(
            "{a: 1, 'a': 2}", 'p.yaml:1: the key "a" occurs twice in one map (first in line 1); keep one', id="quoted"
        ),
        pytest.param(
            "a: 1\nb: c: d\n",
            "p.yaml:2: is no YAML: mapping values are not allowed in this context (column 5)",
            id="syntax",
        ),
        pytest.param(
            "a:\n\tb: 1\n",
            "p.yaml:2: is no YAML: found character that cannot start any token (column 1); "
            "indent with blanks, not tabs",
            id="a tab",
        ),
        pytest.param(
            "a: [1,\n", "p.yaml:2: is no YAML: did not find expected node content (column 1)", id="not closed"
        ),
        pytest.param(b"a: 1\nb: \xff\n", "p.yaml:2: is no UTF-8 text (byte 9); save it as UTF-8", id="not UTF-8"),
        pytest.param(
            "a\nb\0", "p.yaml:2: is no text: character #x0000 is not allowed; is this a binary file?", id="binary"
        ),
        pytest.param("a: *b\n", "p.yaml:1: the alias *b has no anchor before it", id="an alias of nothing"),
        pytest.param("a: &b [*b]\n", "p.yaml:1: the alias *b stands inside its own anchor", id="an endless alias"),
        pytest.param(
            "x: !!binary aGk=\n", "p.yaml:1: the tag !!binary has no meaning here; leave it out", id="binary tag"
        ),
        pytest.param(
            "x: !!python/name:os.system\n",
            "p.yaml:1: the tag !!python/name:os.system has no meaning here; leave it out",
            id="a tag of Python",
        ),
        pytest.param(
            "x: !mine {a: 1}\n", "p.yaml:1: the tag !mine has no meaning here; leave it out", id="a tag on a map"
        ),
        pytest.param("x: !!int no\n", 'p.yaml:1: "no" cannot be read as !!int', id="a tag that does not fit"),
        pytest.param("\nx: .inf\n", 'p.yaml:2: ".inf" is no number that JSON knows; quote it', id="infinity"),
        pytest.param("? [a]\n: b\n", "p.yaml:1: a key is no text; quote it", id="a list as a key"),
        pytest.param("x: " + "9" * 5000, f'p.yaml:1: "{"9" * 59}…" cannot be read as !!int', id="an endless number"),
        pytest.param("x: 0x" + "f" * 5000, f'p.yaml:1: "0x{"f" * 57}…" cannot be read as !!int', id="and in hex"),
    ],
)
def test_a_broken_file_is_told_with_its_line(content: bytes | str, told: str) -> None:
    assert problems_of(content) == [told]


def test_what_stands_before_and_after_a_broken_document_is_read() -> None:
    documents, problems = parse_documents(b"a: 1\n---\nb: !x y\n---\nc: 3\n---\nd: [\n", "p.yaml")
    assert [document.data for document in documents] == [{"a": 1}, {"c": 3}]
    assert [problem.line for problem in problems] == [3, 8]


@settings(deadline=None)  # a busy machine is no fault
@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
def test_any_bytes_give_documents_or_problems(content: bytes) -> None:
    parse_documents(content, "p.yaml")


@settings(deadline=None)  # a busy machine is no fault
@given(st.text(alphabet="ab:-[]{}&*!|>\"'#%?,~ \n\t\\u0d8", max_size=60))
def test_any_yaml_like_text_gives_documents_or_problems(text: str) -> None:
    for content in (text, "{" + text):
        parse_documents(content.encode(), "p.yaml")
