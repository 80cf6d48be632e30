"""Which items of a list are pinned."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pytest

from admission.engine.condition import Rank
from admission.engine.pin import Pinning
from admission.engine.steps.pins import pinned_items
from admission.engine.values import List
from tests.engine.build import NOW, go, path, pin, raw

HISTORY = path("status.history")


def items() -> List:
    return [raw(go({"id": number, "even": number % 2 == 0})) for number in range(5)]


@pytest.mark.parametrize(
    ("pins", "pinned"),
    [
        pytest.param(Pinning(HISTORY), set(), id="nothing"),
        pytest.param(Pinning(HISTORY, first=1, last=2), {0, 3, 4}, id="both ends"),
        pytest.param(Pinning(HISTORY, where=(pin("even In true"),)), {0, 2, 4}, id="what meets requirements"),
        pytest.param(Pinning(HISTORY, where=(pin("even In true", newest=2),)), {0, 2}, id="the newest that do"),
        pytest.param(Pinning(HISTORY, last=1, where=(pin("even In true", newest=2),)), {0, 2, 4}, id="both"),
        pytest.param(Pinning(HISTORY, where=(pin("id In 3"), pin("id In 1"))), {1, 3}, id="any of several"),
        pytest.param(Pinning(HISTORY, where=(pin("even In true", newest=0),)), set(), id="none of those that do"),
    ],
)
def test_finds_what_is_pinned(pins: Pinning, pinned: set[int]) -> None:
    def newest_first(compared: Collection[int]) -> Sequence[Rank]:
        return [(-position,) for position in range(5)]

    found, ranks = pinned_items(pins, items(), newest_first, NOW)
    assert found == pinned
    assert ranks == newest_first(())


def test_only_what_is_not_pinned_whatever_its_age_is_compared() -> None:
    asked: list[Collection[int]] = []

    def ranking(compared: Collection[int]) -> Sequence[Rank]:
        asked.append(compared)
        return [(position,) for position in range(5)]

    pinned_items(Pinning(HISTORY, first=1, where=(pin("id In 3"), pin("id In 4", newest=1))), items(), ranking, NOW)
    assert [list(each) for each in asked] == [[1, 2, 4]]
