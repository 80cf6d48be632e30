"""What is written as YAML reads back as the same JSON, by readers of YAML 1.1 and 1.2 alike."""

import pytest
import yaml

from admission.offline.gojson import documents_of, encode, tree_of_json
from admission.offline.yamltext import to_documents, to_yaml

OBJECT = (
    rb'{"a":"NO","b":"1e3","c":1e3,"d":12345678901234567890123,"e":1.0,"f":null,"g":true,"h":"012","i":"2026-01-01",'
)
OBJECT += '"j":"two\\nlines","k":"","l":[],"m":{},"n":"é … x","o":"12:30","p":" blank ","q":"=","r":"0o17"}'.encode()


def test_reads_back_as_the_same_json() -> None:
    text = to_yaml(tree_of_json(OBJECT))
    assert [encode(document) for document in documents_of(text.encode(), "o")] == [OBJECT]


@pytest.mark.parametrize("text", ["NO", "off", "1e3", "012", "0o17", "2026-01-01", "12:30", "=", "~", "null", "1_000"])
def test_a_reader_of_yaml_1_1_sees_text(text: str) -> None:
    assert yaml.safe_load(to_yaml({"a": text})) == {"a": text}


def test_a_long_text_stays_on_one_line() -> None:
    assert to_yaml({"a": "word " * 100 + "end"}).count("\n") == 1


def test_lines_of_a_text_are_lines() -> None:
    assert to_yaml({"a": "two\nlines\n"}) == "a: |\n  two\n  lines\n"


def test_members_keep_their_order_unless_sorted() -> None:
    assert (to_yaml({"b": 1, "a": 2}), to_yaml({"b": 1, "a": 2}, sort=True)) == ("b: 1\na: 2\n", "a: 2\nb: 1\n")


def test_several_documents_are_kept_apart() -> None:
    assert list(yaml.safe_load_all(to_documents([{"a": 1}, {"a": 2}]))) == [{"a": 1}, {"a": 2}]


def test_a_letter_that_go_reads_as_a_boolean_is_quoted() -> None:
    assert to_yaml({"a": "y"}) == 'a: "y"\n'


def test_what_occurs_twice_is_written_twice() -> None:
    shared = {"a": 1}
    assert to_yaml([shared, shared]) == "- a: 1\n- a: 1\n"
