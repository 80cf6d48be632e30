"""Where chance comes from: hypothesis, which shrinks what it finds, or a seed, for long runs."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


class Dice(Protocol):
    """Where chance comes from."""

    def number(self, low: int, high: int) -> int:
        """A number from ``low`` to ``high``; shrinks to ``low``."""
        ...


@dataclass(frozen=True, slots=True)
class Seeded:
    """Dice of a long run."""

    chance: random.Random

    def number(self, low: int, high: int) -> int:
        return low + int(self.chance.random() * (high - low + 1))


@dataclass(frozen=True, slots=True)
class Drawn:
    """Dice of hypothesis."""

    draw: st.DrawFn

    def number(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))


def pick(dice: Dice, options: Sequence[T]) -> T:
    """One of the options; shrinks to the first."""
    return options[dice.number(0, len(options) - 1)]


def happens(dice: Dice, percent: int) -> bool:
    """True so often; shrinks to False."""
    return dice.number(0, 99) >= 100 - percent


def several(dice: Dice, most: int, make: Callable[[Dice], T]) -> list[T]:
    """Up to ``most`` things."""
    return [make(dice) for _ in range(dice.number(0, most))]
