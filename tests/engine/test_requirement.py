"""Requirements: how values compare, and what wildcards, null and clocks mean."""

from __future__ import annotations

import pytest

from admission.engine.requirement import number
from tests.engine.build import NOW, Json, at, go, raw, requirement

OBJECT: Json = {
    "zero": 0,
    "one": 1,
    "float": 1.0,
    "big": 9007199254740993,
    "text": "abc",
    "numeric": "10",
    "quantity": "10Gi",
    "empty": "",
    "yes": True,
    "no": False,
    "null": None,
    "object": {"a": 1},
    "list": [],
    "states": [{"s": "ok"}, {"s": "bad"}, {"s": None}, {}, "text"],
    "numbers": [1, "20", None, "x"],
    "noon": "2026-01-01T12:00:00Z",
    "eleven": "2026-01-01T11:00:00Z",
    "soon": "2026-01-01T12:05:00Z",
    "later": "2026-01-01T12:05:01Z",
    "unset": "0001-01-01T00:00:00Z",
    "zoneless": "2026-01-01T11:00:00",
    "labels": {"a.b/c": "x"},
}


@pytest.mark.parametrize(
    ("text", "met"),
    [
        ("text In abc", True),
        ("text In x abc", True),
        ("text In ABC", False),
        ("text In", False),
        ("one In 1", True),
        ("float In 1", False),
        ("float In 1.0", True),
        ("big In 9007199254740993", True),
        ("big In 9007199254740992", False),
        ("yes In true", True),
        ("no In false", True),
        ("yes In 1", False),
        ("zero In 0", True),
        ("null In null", False),
        ("missing In null", False),
        ("object In {}", False),
        ("labels['a.b/c'] In x", True),
        ("text NotIn abc", False),
        ("text NotIn x", True),
        ("null NotIn null", True),
        ("missing NotIn abc", True),
        ("object NotIn abc", True),
        ("text Exists", True),
        ("zero Exists", True),
        ("no Exists", True),
        ("empty Exists", True),
        ("object Exists", True),
        ("list Exists", True),
        ("null Exists", False),
        ("missing Exists", False),
        ("text.more Exists", False),
        ("text DoesNotExist", False),
        ("null DoesNotExist", True),
        ("missing DoesNotExist", True),
        ("list[*] DoesNotExist", True),
    ],
)
def test_compares_as_text(text: str, met: bool) -> None:
    assert holds(text) is met


@pytest.mark.parametrize(
    ("text", "met"),
    [
        ("states[*].s In bad", True),
        ("states[*].s In gone", False),
        ("states[*].s NotIn bad", False),
        ("states[*].s NotIn gone", True),
        ("states[*].s Exists", True),
        ("states[*].x Exists", False),
        ("states[*].s DoesNotExist", False),
        ("states[*].x DoesNotExist", True),
        ("numbers[*] Gt 15", True),
        ("numbers[*] Gt 20", False),
        ("numbers[*] Lt 1", False),
        ("states[0].s NotIn bad", True),
        ("states[-1:].s Exists", False),
    ],
)
def test_a_wildcard_is_any_of_and_for_negatives_none_of(text: str, met: bool) -> None:
    assert holds(text) is met


@pytest.mark.parametrize(
    ("text", "met"),
    [
        ("one Gt 0", True),
        ("one Gt 1", False),
        ("one Lt 1.5", True),
        ("one Lt 1", False),
        ("numeric Gt 9", True),
        ("numeric Lt 9", False),
        ("big Gt 9007199254740992", True),
        ("big Gt 9007199254740993", False),
        ("float Gt 0.9", True),
        ("zero Gt -1", True),
        ("one Lt 1e1", True),
        ("quantity Gt 1", False),
        ("text Gt 0", False),
        ("yes Gt 0", False),
        ("empty Lt 1", False),
        ("null Lt 1", False),
        ("missing Lt 1", False),
        ("object Lt 9", False),
    ],
)
def test_compares_as_numbers(text: str, met: bool) -> None:
    assert holds(text) is met


@pytest.mark.parametrize(
    ("text", "met"),
    [
        pytest.param("eleven OlderThan 59m", True, id="older"),
        pytest.param("eleven OlderThan 1h", False, id="strictly older"),
        pytest.param("eleven NewerThan 1h", False, id="strictly newer"),
        pytest.param("eleven NewerThan 61m", True, id="newer"),
        pytest.param("eleven OlderThan 2026-01-01T11:30:00Z", True, id="older than a time"),
        pytest.param("eleven NewerThan 2026-01-01T10:00:00Z", True, id="newer than a time"),
        pytest.param("eleven NewerThan 2026-01-01T13:00:00+0100", True, id="a time in another zone"),
        pytest.param("zoneless OlderThan 59m", True, id="no zone is UTC"),
        pytest.param("soon NewerThan 1m", True, id="clocks may differ by five minutes"),
        pytest.param("later NewerThan 1m", False, id="more than that is unknown"),
        pytest.param("later OlderThan 1m", False, id="and no older either"),
        pytest.param("later NewerThan 2026-01-01T00:00:00Z", True, id="but a time can be compared with a time"),
        pytest.param("later OlderThan 2027-01-01T00:00:00Z", True, id="also one that is still to come"),
        pytest.param("noon OlderThan 0s", False, id="now is not older than now"),
        pytest.param("unset OlderThan 1m", False, id="an unset time is unknown"),
        pytest.param("empty OlderThan 1m", False, id="an empty text"),
        pytest.param("one OlderThan 1m", False, id="a number"),
        pytest.param("null OlderThan 1m", False, id="null"),
        pytest.param("missing NewerThan 1m", False, id="absent"),
    ],
)
def test_compares_ages(text: str, met: bool) -> None:
    assert holds(text.replace("13:00:00+0100", "11:00:00+0100")) is met


def holds(text: str) -> bool:
    return requirement(text).met([raw(go(OBJECT))], 0, NOW)


@pytest.mark.parametrize(
    ("item", "text", "met"),
    [
        ("x", ". In x", True),
        (7, ". Gt 6", True),
        (None, ". Exists", False),
        ({}, ". Exists", True),
        (at(0), ". OlderThan 1m", True),
    ],
)
def test_a_dot_is_the_item_itself(item: Json, text: str, met: bool) -> None:
    assert requirement(text).met([raw(go(item))], 0, NOW) is met


@pytest.mark.parametrize(
    ("text", "equal"),
    [("1", "1.0"), ("1e3", "1000"), ("+1", "1"), (".5", "0.5"), ("-0", "0"), ("1.", "1")],
)
def test_numbers_are_exact(text: str, equal: str) -> None:
    assert number(text) == number(equal)
    assert number(text) is not None


@pytest.mark.parametrize(
    "text", [None, "", "x", "1x", "0x10", "1_000", " 1", "1 ", "NaN", "Infinity", "1e9999", "٣", "9" * 500, "--1"]
)
def test_what_is_no_number(text: str | None) -> None:
    assert number(text) is None


def test_prints_as_it_is_read() -> None:
    assert str(requirement("status.phase NotIn a b")) == "status.phase NotIn [a, b]"
    assert str(requirement("status.phase Exists")) == "status.phase Exists"
