"""The word that somebody probably meant."""

import pytest

from admission.nearest import nearest


@pytest.mark.parametrize(
    ("word", "near"),
    [("odrer", "order"), ("ORDER", "order"), ("keepwhere", "keepWhere"), ("x", None), ("", None), ("y" * 9999, None)],
)
def test_the_nearest_word_is_found_whatever_its_case(word: str, near: str | None) -> None:
    assert nearest(word, ["order", "keepWhere", "max"]) == near
