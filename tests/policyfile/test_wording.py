"""Words of messages."""

from typing import Any

import pytest

from admission.policyfile.wording import dotted, found, one_of, quote


@pytest.mark.parametrize(
    ("value", "words"),
    [
        pytest.param(None, "nothing", id="null"),
        pytest.param(True, "true", id="a boolean as YAML writes it"),
        pytest.param(5, "5", id="a number"),
        pytest.param("a\nb", '"a\\nb"', id="text stays on one line"),
        pytest.param([1], "a list", id="a list"),
        pytest.param({}, "a map", id="a map"),
        pytest.param(b"", "bytes", id="anything else"),
    ],
)
def test_a_value_is_named_in_few_words(value: Any, words: str) -> None:
    assert found(value) == words


def test_a_long_text_is_shortened() -> None:
    assert quote("x" * 100) == '"' + "x" * 59 + '…"'


def test_a_choice_reads_as_one() -> None:
    assert (one_of(["a"]), one_of(["a", "b"]), one_of(["a", "b", "c"])) == ("a", "a or b", "a, b or c")


def test_a_place_reads_as_a_path() -> None:
    assert dotted(("spec", "trim", 0, "capList", "a.b")) == "spec.trim[0].capList['a.b']"
    assert dotted(()) == ""
