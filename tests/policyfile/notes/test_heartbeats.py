"""Rules that may hold back what matters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.policyfile.notes.test_times import notes, policy


@pytest.mark.parametrize("extra", [{}, {"within": {"percent": 5}}])
def test_times_and_near_numbers_need_no_note(tmp_path: Path, extra: dict[str, Any]) -> None:
    rule = {"fields": ["status.progress"], "maxStaleness": "5m", **extra}
    assert notes(tmp_path, policy("a", suppress=[rule])) == []


def test_a_rule_for_any_value_is_told(tmp_path: Path) -> None:
    rule = {"fields": ["status.progress", "status.eta"], "anyValue": True, "maxStaleness": "5m"}
    assert notes(tmp_path, policy("a", suppress=[rule])) == [
        (
            "spec.suppress[0].anyValue: any change of status.progress, status.eta may be held back for as long as "
            "maxStaleness; for numbers write within, and name no field that somebody waits for"
        )
    ]
