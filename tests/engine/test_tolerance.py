"""How far a value may be from what is stored and still be nothing new."""

from __future__ import annotations

import pytest

from admission.engine.tolerance import Tolerance
from tests.engine.build import raw, suppress

TIMES = suppress().tolerance
FIVE_PERCENT = suppress(percent="5").tolerance
TEN = suppress(most="10").tolerance
ANY = suppress(any_value=True).tolerance

NOON, LATER = '"2026-01-01T12:00:00Z"', '"2026-01-01T12:00:30Z"'


@pytest.mark.parametrize(
    ("tolerance", "stored", "sent"),
    [
        (TIMES, NOON, LATER),
        (TIMES, LATER, NOON),
        (TIMES, NOON, '"2026-01-01T14:00:00.000001+02:00"'),
        (FIVE_PERCENT, "100", "105"),
        (FIVE_PERCENT, "100", "95"),
        (FIVE_PERCENT, "-100", "-105"),
        (FIVE_PERCENT, "1e2", "104.99"),
        (FIVE_PERCENT, '"100"', '"105"'),
        (FIVE_PERCENT, "9007199254740993000", "9007199254740993001"),
        (TEN, "0", "10"),
        (TEN, "0", "-10"),
        (TEN, '"53687091200"', '"53687091210"'),
        (ANY, '"Syncing"', '"Synced"'),
        (ANY, "true", "false"),
        (ANY, "1", "1.0"),
        (ANY, '""', '"x"'),
    ],
)
def test_a_value_may_be_this_far_away(tolerance: Tolerance, stored: str, sent: str) -> None:
    assert tolerance.covers(raw(stored), raw(sent))


@pytest.mark.parametrize(
    ("tolerance", "stored", "sent"),
    [
        (TIMES, NOON, '""'),
        (TIMES, '"0001-01-01T00:00:00Z"', NOON),
        (TIMES, NOON, '"soon"'),
        (TIMES, "1767268800", "1767268830"),
        (FIVE_PERCENT, "100", "105.0000001"),
        (FIVE_PERCENT, "100", "94"),
        (FIVE_PERCENT, "0", "1"),
        (FIVE_PERCENT, "100", '"100"'),
        (FIVE_PERCENT, '"100"', "100"),
        (FIVE_PERCENT, '"100m"', '"101m"'),
        (FIVE_PERCENT, '"1e9999"', '"1e9998"'),
        (FIVE_PERCENT, '"NaN"', '"NaN"'),
        (FIVE_PERCENT, '"1' + "0" * 200 + '"', '"1' + "0" * 199 + '1"'),
        (FIVE_PERCENT, "true", "true"),
        (TEN, "0", "11"),
        (TEN, "null", "1"),
        (TEN, "[1]", "[2]"),
        (ANY, '"x"', "null"),
        (ANY, "null", '"x"'),
        (ANY, '"1"', "1"),
        (ANY, "true", '"true"'),
        (ANY, "{}", '"x"'),
        (ANY, "[]", "[]"),
    ],
)
def test_and_not_this_far(tolerance: Tolerance, stored: str, sent: str) -> None:
    assert not tolerance.covers(raw(stored), raw(sent))
