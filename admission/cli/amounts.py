"""Sizes and counts as people read them."""

from __future__ import annotations

from typing import Final

_UNITS: Final = ("KiB", "MiB", "GiB")
_STEP: Final = 1024


def size(number: int) -> str:
    """Bytes in the largest unit that keeps them above one, three digits: ``73 B``, ``1.9 KiB``, ``148 KiB``."""
    if number < _STEP:
        return f"{number} B"
    power = 1
    while power < len(_UNITS) and round(number / _STEP**power) >= _STEP:
        power += 1
    amount, unit = number / _STEP**power, _UNITS[power - 1]
    return f"{amount:.1f} {unit}" if amount < 100 else f"{amount:.0f} {unit}"


def count(number: int, noun: str) -> str:
    """A number with its noun: ``1 item``, ``1,990 items``, ``2 policies``."""
    plural = f"{noun.removesuffix('y')}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def change(before: int, after: int) -> str:
    """What became of a size: ``148 KiB → 1.9 KiB (−98.7 %)``; one size when nothing did."""
    if before == after:
        return size(before)
    share = f" ({percent(after - before, before)})" if before else ""
    return f"{size(before)} → {size(after)}{share}"


def percent(part: int, whole: int) -> str:
    """A signed share, with the minus sign of typography."""
    value = 100 * part / whole
    return f"{'+' if value > 0 else '−'}{abs(value):.1f} %"
