"""A policy is explained from top to bottom."""

from __future__ import annotations

from dataclasses import replace

from admission.offline.explanation import Explanation
from tests.engine.build import cap_list, limit, only, policy


def test_a_policy_is_explained_from_top_to_bottom() -> None:
    one = policy(only("status.phase In Done", cap_list(1)), limits=[limit(10)])
    assert list(Explanation.of(replace(one, source="p.yaml:3")).lines())[:6] == [
        "volcano-job (p.yaml:3)",
        "  Enforced: it changes writes.",
        "  Looks at status writes of jobs.batch.volcano.sh and writes of jobs.batch.volcano.sh.",
        "  - Keeps 1 item of status.history; the last one is the newest. Only while status.phase is Done.",
        (
            "  - Rejects a write after which the status takes more than 10 bytes, unless it makes that "
            "no larger than what is "
            "stored."
        ),
        "  Never touches anything but status.history; in metadata.managedFields only who owns what was removed.",
    ]
