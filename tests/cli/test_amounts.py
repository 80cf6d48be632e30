"""Sizes and counts as people read them."""

import pytest

from admission.cli.amounts import change, count, size


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (1946, "1.9 KiB"),
        (151_552, "148 KiB"),
        (1_048_575, "1.0 MiB"),
        (1_572_864, "1.5 MiB"),
        (5 * 2**40, "5120 GiB"),
    ],
)
def test_a_size_has_the_unit_that_fits(number: int, text: str) -> None:
    assert size(number) == text


@pytest.mark.parametrize(
    ("number", "noun", "text"), [(1, "item", "1 item"), (1990, "item", "1,990 items"), (2, "policy", "2 policies")]
)
def test_a_count_has_its_noun(number: int, noun: str, text: str) -> None:
    assert count(number, noun) == text


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        (151_552, 1946, "148 KiB → 1.9 KiB (−98.7 %)"),
        (100, 110, "100 B → 110 B (+10.0 %)"),
        (5, 5, "5 B"),
        (0, 5, "0 B → 5 B"),
    ],
)
def test_a_change_has_its_share(before: int, after: int, text: str) -> None:
    assert change(before, after) == text
