"""Patterns are judged as Go's ``regexp`` does, or not at all."""

from __future__ import annotations

import pytest

from admission.engine.pattern import matches

LABEL = r"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        pytest.param("b", ["abc", "b"], ["", "ac"], id="found anywhere"),
        pytest.param("^a$", ["a"], ["ab", "a\n"], id="the end is the end, not a line feed before it"),
        pytest.param(r"^\d\w+$", ["1a", "2_"], ["\u0663a", "1é"], id="classes are ASCII"),
        pytest.param("^a.c$", ["abc", "aéc"], ["a\nc", "ac"], id="a dot is any character but a line feed"),
        pytest.param(r"^[^a]\.[-+x]{2,3}$", ["b.+-", "\n.xx-"], ["a.xx", "b.x", "bxxx"], id="classes and counts"),
        pytest.param("^(?:ab|cd)?e$", ["abe", "cde", "e"], ["abcde", "be"], id="groups and alternatives"),
        pytest.param(LABEL, ["A", "ReasonIs:this"], ["", "1", "a,"], id="a reason of a condition"),
        pytest.param(r"^[0-9a-f]{8}-[\w.-]*$", ["0123abcd-x.y-z"], ["0123abcd"], id="ranges and dashes"),
        pytest.param("", ["", "a"], [], id="nothing"),
    ],
)
def test_finds_what_the_api_server_finds(pattern: str, yes: list[str], no: list[str]) -> None:
    assert [matches(pattern, text) for text in yes + no] == [True] * len(yes) + [False] * len(no)


@pytest.mark.parametrize(
    "pattern",
    [
        r"\pL", r"[[:alpha:]]", r"\Qa\E", r"\z", r"\s", r"\b", r"\B", r"\x41", r"\1", r"\07",
        "(?i)a", "(?P<n>a)", "(?=a)", "(?<!a)b", "a++", "a*+", "(?>a)", "a{,3}", "a{1,2}{3}", "(a+)+", "(a|a)*", "(a)*",
        "(ab){2}", "(", ")", "[", "[]a]", "[a&&b]", "[a--b]", "[a||b]", "[a[b]", "[z-a]", "a{3,2}", "*", "\\",
    ],
)  # fmt: skip
def test_what_python_reads_otherwise_or_may_take_long_over_is_not_judged(pattern: str) -> None:
    assert matches(pattern, "a") is None


@pytest.mark.parametrize(("pattern", "text"), [("a?" * 30 + "a" * 30, "a" * 30), ("^.*.*.*x$", "a" * 99)])
def test_what_could_match_in_too_many_ways_is_not_judged(pattern: str, text: str) -> None:
    assert matches(pattern, text) is None
