"""How many calls a review takes: where Python's time goes, and a figure that no busy machine changes."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, Final

import pytest

from tests.bench.bodies import Variant, bodies
from tests.bench.product import handler

MOST_CALLS: Final = {Variant.TO_TRIM: 600, Variant.COMPLIANT: 230}
"""Calls of functions in Python for a small review: a third more than were counted in December 2026 (447 and 172)."""


@pytest.mark.parametrize("variant", Variant)
def test_a_small_review_takes_few_calls(variant: Variant) -> None:
    review = next(body for body in bodies(["small"]) if body.variant is variant).template
    mutate = handler().mutate
    mutate(review)  # what is derived once is not counted
    calls = 0

    def count(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        mutate(review)
    finally:
        sys.setprofile(before)

    assert 0 < calls <= MOST_CALLS[variant], f"{calls} calls"
