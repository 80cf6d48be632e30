"""``All``, or a list."""

from __future__ import annotations

import pytest

from admission.policyfile.models.choice import ALL, LIST, WORD, all_or, list_or_word


@pytest.mark.parametrize(("value", "tag"), [(["a"], LIST), ([], LIST), (("a",), LIST), (ALL, WORD), (7, WORD)])
def test_a_list_is_read_as_one_and_the_rest_as_a_word(value: object, tag: str) -> None:
    assert list_or_word(value) == tag


def test_another_word_is_told_what_could_be_written() -> None:
    assert all_or("a list")(ALL) == ALL
    with pytest.raises(ValueError, match='"Some" is no choice; write All, or a list'):
        all_or("a list")("Some")
