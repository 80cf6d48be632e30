"""What a registration has sent is told in words, entry by entry."""

from __future__ import annotations

from admission.engine.match import ResourceRule
from admission.engine.policy import PolicySet
from admission.offline.prefilters import explained
from tests.engine.build import cap_list, drop, limit, policy

JOBS = [ResourceRule(("a.io",), ("jobs/status",))]
TASKS = [ResourceRule(("a.io",), ("tasks",))]


def test_a_filter_is_shown_part_by_part() -> None:
    made = policy(cap_list(2), drop("status.x"), rules=JOBS)
    first, *parts = explained(PolicySet.of([made]))
    assert first == "jobs.a.io.statuscap.dev: a write of jobs/status of a.io is sent when"
    assert [part[:8] for part in parts] == ["  (has(o", "  || (ha"]


def test_where_everything_is_sent_the_reasons_are_told() -> None:
    made = policy(name="big", limits=[limit(10)], rules=TASKS)
    assert list(explained(PolicySet.of([made])))[:2] == [
        "tasks.a.io.object.statuscap.dev: every write of tasks of a.io is sent, for CEL cannot decide:",
        "  policy big: maxBytes counts bytes as stored, and CEL counts no bytes",
    ]


def test_the_validating_phase_is_told_by_itself() -> None:
    made = policy(cap_list(2), limits=[limit(5, "status.history")], rules=JOBS)
    heads = [line for line in explained(PolicySet.of([made])) if not line.startswith(" ")]
    assert heads == [
        "jobs.a.io.statuscap.dev: a write of jobs/status of a.io is sent when",
        "jobs.a.io.limits.statuscap.dev: a write of jobs/status of a.io is sent when",
    ]
