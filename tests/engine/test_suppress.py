"""Heartbeats: which differences may wait, and for how long."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pytest

from admission.engine.decision import Decision, Outcome, Reason
from admission.engine.instant import SECOND
from admission.engine.suppress import MOST_LEAVES, SuppressRule
from tests.engine.build import (
    NOW,
    Json,
    custom_resource,
    entry,
    judge,
    patched,
    plain,
    policy,
    suppress,
    write,
)

OWNED: Final[Json] = {"f:status": {"f:lastActiveTime": {}, "f:size": {}, "f:phase": {}, "f:nodes": {}, "f:sizes": {}}}


def seconds_ago(count: float) -> str:
    """A time of that many seconds before the clock of the tests."""
    minute, second = divmod(12 * 3600 - int(count), 60)
    return f"2026-01-01T{minute // 60:02}:{minute % 60:02}:{second:02}Z"


def beat(rule: SuppressRule, stored: Json, sent: Json, *, written: float = 10, now: int = NOW) -> Decision:
    """The decision on a write over an object that its manager wrote so many seconds ago."""
    before = custom_resource(stored, managed=[entry("controller", OWNED, time=seconds_ago(written))])
    submitted = custom_resource(sent, managed=[entry("controller", OWNED, time=seconds_ago(0))])
    attributes = write(submitted, before)
    decision = judge(policy(suppress=[rule]), attributes, now)
    result = plain(patched(attributes, decision))
    held = decision.outcome is Outcome.SUPPRESSED
    assert result == (before if held else submitted)
    assert not decision.violations
    return decision


def is_held(*args: Any, **kwargs: Any) -> bool:
    return beat(*args, **kwargs).outcome is Outcome.SUPPRESSED


ACTIVE: Final = {"lastActiveTime": seconds_ago(10), "phase": "Running", "size": 100}


def moved(**changes: Json) -> dict[str, Json]:
    return {**ACTIVE, "lastActiveTime": seconds_ago(0), **changes}


# --- what is covered -------------------------------------------------------------------------------------------------


def test_a_write_that_brings_only_a_fresh_time_is_held_back() -> None:
    decision = beat(suppress(), ACTIVE, moved())
    assert (decision.outcome, decision.reason) == (Outcome.SUPPRESSED, Reason.WITHIN_STALENESS)
    assert [op.path for op in decision.patch] == ["/status/lastActiveTime", "/metadata/managedFields/0/time"]


def test_one_difference_that_no_rule_covers_lets_the_whole_write_pass() -> None:
    decision = beat(suppress(), ACTIVE, moved(phase="Done"))
    assert (decision.outcome, decision.patch) == (Outcome.UNCHANGED, ())


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(moved(extra=1), id="a field appears"),
        pytest.param({"lastActiveTime": seconds_ago(0), "phase": "Running"}, id="a field goes"),
        pytest.param(moved(lastActiveTime=None), id="null"),
        pytest.param(moved(lastActiveTime=1767268800), id="another type"),
        pytest.param(moved(lastActiveTime={"at": seconds_ago(0)}), id="a map"),
        pytest.param(moved(lastActiveTime=[]), id="a list"),
        pytest.param(moved(size="100"), id="a number that becomes a text"),
    ],
)
def test_a_difference_in_shape_is_never_covered(sent: Mapping[str, Json]) -> None:
    rule = suppress("status.lastActiveTime", "status.size", "status.extra", any_value=True)
    assert not is_held(rule, ACTIVE, sent)


@pytest.mark.parametrize(
    ("stored", "sent"),
    [
        ([1, 2], [1, 2, 3]),
        ([1, 2], [1]),
        ([1, 2], []),
    ],
)
def test_a_list_that_gets_longer_or_shorter_is_never_covered(stored: Json, sent: Json) -> None:
    assert not is_held(suppress("status.sizes[*]", any_value=True), {"sizes": stored}, {"sizes": sent})


def test_items_of_a_list_are_compared_by_position() -> None:
    assert is_held(suppress("status.sizes[*]", most="5"), {"sizes": [10, 20]}, {"sizes": [12, 18]})
    assert not is_held(suppress("status.sizes[*]", most="5"), {"sizes": [10, 20]}, {"sizes": [20, 10]})


def test_fields_name_leaves_and_not_what_is_below_them() -> None:
    stored, sent = {"nodes": {"a": {"at": seconds_ago(9)}}}, {"nodes": {"a": {"at": seconds_ago(0)}}}
    assert not is_held(suppress("status.nodes"), stored, sent)
    assert not is_held(suppress("status.nodes.a"), stored, sent)
    assert is_held(suppress("status.nodes.*.at"), stored, sent)


@pytest.mark.parametrize(
    ("named", "at"),
    [
        ("status.sizes[0]", {0}),
        ("status.sizes[-1]", {2}),
        ("status.sizes[:-1]", {0, 1}),
        ("status.sizes[1:]", {1, 2}),
        ("status.sizes[7]", set()),
        ("status.sizes[*]", {0, 1, 2}),
    ],
)
def test_a_field_of_some_items_covers_no_others(named: str, at: set[int]) -> None:
    for position in range(3):
        sent = [10, 20, 30]
        sent[position] += 1
        assert is_held(suppress(named, most="5"), {"sizes": [10, 20, 30]}, {"sizes": sent}) is (position in at)


def test_several_rules_of_several_policies_cover_one_write_together() -> None:
    before = custom_resource(ACTIVE, managed=[entry("controller", OWNED, time=seconds_ago(10))])
    attributes = write(custom_resource(moved(size=101), managed=[entry("controller", OWNED)]), before)
    times = policy(name="times", suppress=[suppress()])
    sizes = policy(name="sizes", suppress=[suppress("status.size", percent="5", stale="30s")])
    assert judge([times], attributes).outcome is Outcome.UNCHANGED
    decision = judge([times, sizes], attributes)
    assert decision.outcome is Outcome.SUPPRESSED
    assert [(each.name, each.outcome, each.max_staleness) for each in decision.policies] == [
        ("sizes", Outcome.SUPPRESSED, 30 * SECOND),
        ("times", Outcome.SUPPRESSED, 30 * SECOND),
    ]
    assert [step.items for each in decision.policies for step in each.steps] == [1, 1]


def test_a_rule_says_whether_its_fields_are_there() -> None:
    (report,) = beat(suppress("status.lastActivTime"), ACTIVE, moved()).policies
    assert [(step.step, step.path, step.found, step.items) for step in report.steps] == [
        ("suppress", "status.lastActivTime", False, 0)
    ]


def test_a_create_is_never_held_back() -> None:
    attributes = write(custom_resource(moved()))
    assert judge(policy(suppress=[suppress()]), attributes).outcome is Outcome.UNCHANGED


def test_a_write_of_what_is_stored_is_left_to_the_api_server() -> None:
    assert beat(suppress(), ACTIVE, ACTIVE).outcome is Outcome.UNCHANGED


def test_more_leaves_than_there_is_time_for_pass() -> None:
    def beats(count: int, ago: int) -> dict[str, Json]:
        return {"nodes": {f"n{number}": seconds_ago(ago) for number in range(count)}}

    rule = suppress("status.nodes.*")
    assert is_held(rule, beats(MOST_LEAVES, 9), beats(MOST_LEAVES, 0))
    assert not is_held(rule, beats(MOST_LEAVES + 1, 9), beats(MOST_LEAVES + 1, 0))


def test_many_leaves_come_back_as_one_operation() -> None:
    stored = {"nodes": {f"n{number}": seconds_ago(9) for number in range(500)}}
    sent = {"nodes": {f"n{number}": seconds_ago(0) for number in range(500)}}
    decision = beat(suppress("status.nodes.*"), stored, sent)
    assert [op.path for op in decision.patch] == ["/status", "/metadata/managedFields/0/time"]


# --- for how long ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("ago", "held"), [(0, True), (59, True), (60, True), (61, False), (3600, False)])
def test_a_stored_time_tells_its_age_by_itself(ago: int, held: bool) -> None:
    stored, sent = {"lastActiveTime": seconds_ago(ago)}, {"lastActiveTime": "2026-01-01T12:00:01Z"}
    assert is_held(suppress(), stored, sent, written=0) is held


@pytest.mark.parametrize(("written", "held"), [(0, True), (60, True), (61, False), (3600, False)])
def test_of_another_value_the_manager_that_owns_it_tells_the_age(written: int, held: bool) -> None:
    assert is_held(suppress("status.size", percent="5"), {"size": 100}, {"size": 101}, written=written) is held


def test_the_newest_of_several_managers_counts_and_only_if_it_owns_the_leaf() -> None:
    stored, sent = {"size": 100}, {"size": 101}
    old = entry("controller", {"f:status": {"f:size": {}}}, time=seconds_ago(90))
    other = entry("other", {"f:status": {"f:phase": {}}}, time=seconds_ago(5))
    whole = entry("whole", {"f:status": {}}, time=seconds_ago(5))

    def outcome(*managed: Json) -> Outcome:
        before, after = custom_resource(stored, managed=managed), custom_resource(sent, managed=managed)
        rule = suppress("status.size", percent="5")
        return judge(policy(suppress=[rule]), write(after, before)).outcome

    assert outcome(old, other) is Outcome.UNCHANGED
    assert outcome(old, whole) is Outcome.SUPPRESSED


@pytest.mark.parametrize("time", ["", "soon", "2026-01-01T12:06:00Z"])
def test_an_age_that_nobody_knows_is_not_covered(time: str) -> None:
    managed = [entry("controller", OWNED, time=time)]
    before, after = custom_resource({"size": 100}, managed=managed), custom_resource({"size": 101}, managed=managed)
    rule = suppress("status.size", percent="5")
    assert judge(policy(suppress=[rule]), write(after, before)).outcome is Outcome.UNCHANGED


def test_without_managed_fields_only_times_are_held_back() -> None:
    def outcome(rule: SuppressRule, stored: Json, sent: Json) -> Outcome:
        attributes = write(custom_resource(sent), custom_resource(stored))
        return judge(policy(suppress=[rule]), attributes).outcome

    assert outcome(suppress(), ACTIVE, moved()) is Outcome.SUPPRESSED
    assert outcome(suppress("status.size", percent="5"), {"size": 100}, {"size": 101}) is Outcome.UNCHANGED


def test_a_time_that_is_still_to_come_is_as_old_as_its_manager_says() -> None:
    stored, sent = {"lastActiveTime": "2026-01-01T12:04:00Z"}, {"lastActiveTime": "2026-01-01T12:04:30Z"}
    assert is_held(suppress(), stored, sent, written=30)
    assert not is_held(suppress(), stored, sent, written=61)


# --- what else must hold ---------------------------------------------------------------------------------------------


def test_a_manager_that_is_new_is_never_held_back() -> None:
    controller = entry("controller", OWNED, time=seconds_ago(10))
    newcomer = entry("newcomer", {"f:status": {"f:lastActiveTime": {}}})
    before, after = (
        custom_resource(ACTIVE, managed=[controller]),
        custom_resource(moved(), managed=[controller, newcomer]),
    )
    assert judge(policy(suppress=[suppress()]), write(after, before)).outcome is Outcome.UNCHANGED


def test_an_applier_that_claims_more_is_never_held_back() -> None:
    less = entry("applier", {"f:status": {"f:phase": {}}}, "Apply", time=seconds_ago(10))
    more = entry("applier", {"f:status": {"f:lastActiveTime": {}, "f:phase": {}}}, "Apply")
    before, after = custom_resource(ACTIVE, managed=[less]), custom_resource(moved(), managed=[more])
    decision = judge(policy(suppress=[suppress()]), write(after, before, field_manager="applier"))
    assert decision.outcome is Outcome.UNCHANGED


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({}, Outcome.SUPPRESSED),
        ({"spec": {"queue": "urgent"}}, Outcome.UNCHANGED),
        ({"extra": 1}, Outcome.UNCHANGED),
    ],
)
def test_a_write_of_the_whole_object_is_held_back_only_when_it_says_nothing_else(
    changes: Json, outcome: Outcome
) -> None:
    before, after = custom_resource(ACTIVE), custom_resource(moved(), **changes)
    attributes = write(after, before, subresource="")
    assert judge(policy(suppress=[suppress()]), attributes).outcome is outcome


def test_a_number_looks_as_fresh_as_the_last_write_of_anything_that_its_manager_owns() -> None:
    """The API server keeps no time for a field. A time is what it says, whoever wrote what."""
    stored = {"size": 100, "lastActiveTime": seconds_ago(3600), "phase": "written a second ago"}
    assert is_held(suppress("status.size", percent="5", stale="60s"), stored, stored | {"size": 101}, written=1)
    fresh = stored | {"lastActiveTime": seconds_ago(0)}
    assert not is_held(suppress(stale="60s"), stored, fresh, written=1)
