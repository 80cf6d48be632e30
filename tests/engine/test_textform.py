"""Which texts have the form that a schema demands."""

from __future__ import annotations

from typing import Any

import pytest

from admission.engine.textform import TextForm


@pytest.mark.parametrize(
    ("openapi", "yes", "no"),
    [
        pytest.param({}, ["", "any"], [], id="any"),
        pytest.param({"minLength": 2}, ["ab", "\U0001f600\U0001f600"], ["a", "\U0001f600"], id="at least so long"),
        pytest.param({"maxLength": 2}, ["", "\U0001f600\U0001f600"], ["abc"], id="at most so long"),
        pytest.param({"maxLength": 0}, [""], ["a"], id="nothing"),
        pytest.param({"pattern": "^a"}, ["a", "ab"], ["b"], id="a pattern"),
        pytest.param({"pattern": "^(?i)a"}, [], ["a", "b"], id="a pattern that cannot be judged"),
        pytest.param({"enum": ["a", 7]}, ["a"], ["7", "b"], id="one of these"),
        pytest.param(
            {"format": "date-time"},
            ["2026-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "2026-01-01T23:59:59.123+02:00"],
            [
                "",
                "2026-01-01",
                "2026-02-30T00:00:00Z",
                "2026-01-01T24:00:00Z",
                "2026-01-01T00:00:00",
                "2026-W01-1T00:00:00Z",
            ],
            id="a time",
        ),
        pytest.param({"format": "ipv4"}, [], ["1.2.3.4"], id="a format that cannot be judged"),
        pytest.param(
            {"pattern": 7, "enum": "a", "maxLength": "3", "format": {}, "minLength": True}, ["abcd"], [], id="odd"
        ),
    ],
)
def test_admits_what_the_api_server_is_certain_to_take(openapi: Any, yes: list[str], no: list[str]) -> None:
    form = TextForm.of(openapi)
    assert [form.admits(text) for text in yes + no] == [True] * len(yes) + [False] * len(no)


def test_the_demands_of_two_are_those_of_both() -> None:
    both = TextForm.of({"minLength": 1, "maxLength": 9, "enum": ["a", "b"]}).and_also(
        TextForm.of({"minLength": 0, "maxLength": 3, "enum": ["b", "c"], "pattern": "b"})
    )
    assert (both.min_length, both.max_length) == (1, 3)
    assert [both.admits(text) for text in "abc"] == [False, True, False]
    assert TextForm().and_also(TextForm.of({"maxLength": 3})).max_length == 3


@pytest.mark.parametrize(
    ("openapi", "exact"),
    [({}, False), ({"minLength": 1, "maxLength": 2}, False)]
    + [({word: value}, True) for word, value in (("pattern", "a"), ("enum", ["a"]), ("format", "uuid"))],
)
def test_tells_whether_a_cut_text_would_have_the_form(openapi: Any, exact: bool) -> None:
    assert TextForm.of(openapi).is_exact is exact
