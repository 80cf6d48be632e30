"""Limits: what is above them, what that does to a write, and what it never does."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import Raw

from admission.engine.decision import Decision, Outcome, Reason
from admission.engine.document import Document
from admission.engine.limits import Bounds, Excess, Size, bounds_of, judge
from admission.engine.policy import Mode, Policy
from admission.engine.sides import Of
from admission.engine.values import MOST_MEMBERS
from tests.engine.build import Json, cap_list, custom_resource, decide, entry, go, limit, patched, plain, policy, write
from tests.engine.build import judge as evaluated

FIVE: Json = {"history": [1, 2, 3, 4, 5], "phase": "Running"}
SIZE = len(go(FIVE))
OBJECT = len(go(custom_resource(FIVE)))


def capped(*limits: Any, **bends: Any) -> Policy:
    """A policy that only limits."""
    return policy(name="capped", limits=limits, **bends)


def above(*limits: Any, status: Json = None, stored: Json = None) -> list[tuple[str, bool]]:
    """What is above limits, without what is heavy."""
    before = None if stored is None else custom_resource(stored)
    attributes = write(custom_resource(FIVE if status is None else status), before)
    found = judge([capped(*limits)], Document.of(attributes))
    return [(excess.told.partition(";")[0], excess.rejects) for excess in found]


# --- what is measured ------------------------------------------------------------------------------------------------

NODES: Json = {"nodes": {"a": {"l": [1, 2]}, "b": {"l": [1, 2, 3]}, "c": {"l": "text"}, "d": {"l": [4, 5, 6]}}}
TEXTS: Json = {"message": "é" * 9, "conditions": [{"message": "abc"}, {"message": "😀" * 12}, {"message": 7}, 5]}


@pytest.mark.parametrize(
    ("limit", "status", "told"),
    [
        pytest.param(
            limit(SIZE - 1), FIVE, "the status takes 41 bytes, 1 byte above the limit of 40 bytes", id="status"
        ),
        pytest.param(limit(SIZE), FIVE, None, id="as big as allowed"),
        pytest.param(
            limit(100, "Object"),
            FIVE,
            f"the object takes {OBJECT} bytes, {OBJECT - 100} bytes above the limit of 100 bytes",
            id="object",
        ),
        pytest.param(
            limit(1024),
            {"html": "<" * 300},
            "the status takes 1.8Ki, 787 bytes above the limit of 1Ki",
            id="six bytes each in etcd",
        ),
        pytest.param(
            limit(4, "status.history"), FIVE, "status.history has 5 items, 1 above the limit of 4", id="items"
        ),
        pytest.param(limit(5, "status.history"), FIVE, None, id="as many items as allowed"),
        pytest.param(limit(0, "status.history"), {"history": []}, None, id="no item is not above none"),
        pytest.param(
            limit(0, "status.history"),
            {"history": [1]},
            "status.history has 1 item, 1 above the limit of 0",
            id="one is",
        ),
        pytest.param(limit(1, "status.phase"), FIVE, None, id="a text has no items"),
        pytest.param(limit(1, "status"), FIVE, None, id="a map has no items"),
        pytest.param(limit(1, "status.none[*].l"), FIVE, None, id="an absent path"),
        pytest.param(
            limit(1, "status.nodes.*.l"),
            NODES,
            "status.nodes.b.l has 3 items, 2 above the limit of 1",
            id="the largest",
        ),
        pytest.param(
            limit(8, "status.message", length=True),
            TEXTS,
            "status.message has 9 characters, 1 above the limit of 8",
            id="code points, not bytes",
        ),
        pytest.param(limit(9, "status.message", length=True), TEXTS, None, id="as long as allowed"),
        pytest.param(
            limit(2, "status.conditions[*].message", length=True),
            TEXTS,
            "status.conditions[1].message has 12 characters, 10 above the limit of 2",
            id="the longest text",
        ),
        pytest.param(limit(0, "status.history", length=True), FIVE, None, id="a list has no length"),
    ],
)
def test_measures_the_largest(limit: Any, status: Json, told: str | None) -> None:
    found = above(limit, status=status)
    assert [(text.startswith(told or ""), rejects) for text, rejects in found] == ([(True, True)] if told else [])


MANY: Json = {"history": [{}] * (MOST_MEMBERS + 1), "texts": {str(one): "" for one in range(MOST_MEMBERS + 1)}}
"""More than a step would work on."""


@pytest.mark.parametrize(
    ("limit", "told"),
    [
        pytest.param(limit(1024), "the status takes 1.3Mi, 1.3Mi above the limit of 1Ki", id="bytes"),
        pytest.param(
            limit(9, "status.history"), "status.history has 100001 items, 99992 above the limit of 9", id="items"
        ),
    ],
)
def test_no_number_is_too_large_to_be_limited(limit: Any, told: str) -> None:
    assert above(limit, status=MANY) == [(told, True)]


def test_an_escaped_text_is_as_long_as_what_it_says() -> None:
    attributes = write('{"status":{"m":"\\u0041\\ud83d\\ude00"}}')
    document = Document.of(attributes)
    assert judge([capped(limit(2, "status.m", length=True))], document) == ()
    (found,) = judge([capped(limit(1, "status.m", length=True))], document)
    assert "has 2 characters" in found.told


@pytest.mark.parametrize(
    "limit",
    [
        pytest.param(limit(10), id="status"),
        pytest.param(limit(10, "Object"), id="object"),
        pytest.param(limit(1, "status.nodes.*.l"), id="items"),
        pytest.param(limit(1, "status.nodes.*.l", length=True), id="length"),
    ],
)
def test_measuring_opens_nothing_in_place(limit: Any) -> None:
    attributes = write(custom_resource(NODES), custom_resource(FIVE))
    document = Document.of(attributes)
    judge([capped(limit)], document)
    assert {type(value) for value in document.object.values()} == {Raw}


# --- several limits --------------------------------------------------------------------------------------------------


def test_one_thing_above_two_limits_is_told_once_by_the_one_that_rejects() -> None:
    both = limit(10, action="Warn"), limit(20)
    assert above(*both) == [("the status takes 41 bytes, 21 bytes above the limit of 20 bytes", True)]
    assert above(*both[::-1]) == above(*both)
    assert above(both[0], limit(50)) == [("the status takes 41 bytes, 31 bytes above the limit of 10 bytes", False)]


def test_several_things_are_told_each() -> None:
    found = above(limit(2, "status.history", "Warn"), limit(3, "status.phase", length=True), limit(999))
    assert [rejects for _, rejects in found] == [False, True]


def test_the_strictest_of_limits_on_one_thing_holds() -> None:
    assert bounds_of([limit(9), limit(7), limit(5, action="Warn")]) == (Bounds(Size(Of.STATUS), 5, 7),)


def test_says_which_parts_are_heavy() -> None:
    status = {"history": [1] * 700, "conditions": ["x" * 300], "log": "y" * 50, "phase": "Running"}
    attributes = write(custom_resource(status), custom_resource(FIVE))
    (excess,) = judge([capped(limit(100))], Document.of(attributes))
    assert excess == Excess(
        "capped",
        "the status takes 1.8Ki, 1.7Ki above the limit of 100 bytes; "
        "heaviest: status.history 1.4Ki, status.conditions 304 bytes, status.log 52 bytes",
        True,
    )


def test_of_a_whole_object_it_says_how_much_the_status_is() -> None:
    attributes = write(custom_resource(FIVE, spec={"q": "x" * 3000}))
    (excess,) = judge([capped(limit(1024, "Object"))], Document.of(attributes))
    assert excess.told.endswith("; heaviest in its status of 41 bytes: status.history 11 bytes, status.phase 9 bytes")


# --- what is never rejected ------------------------------------------------------------------------------------------

BIG, BIGGER = {"history": [1] * 10}, {"history": [1] * 11}
ON_ANYTHING = [
    pytest.param(limit(5), id="status"),
    pytest.param(limit(5, "Object"), id="object"),
    pytest.param(limit(2, "status.history"), id="items"),
]


@pytest.mark.parametrize("limit", ON_ANYTHING)
@pytest.mark.parametrize(
    ("status", "stored", "rejects"),
    [
        pytest.param(BIGGER, BIG, True, id="grows"),
        pytest.param(BIG, BIGGER, False, id="shrinks"),
        pytest.param({"history": [2] * 10}, BIG, False, id="stays as big"),
        pytest.param(BIG, BIG, False, id="stays as it is"),
        pytest.param(BIG, {"history": []}, True, id="from small to too big"),
        pytest.param(BIG, {}, True, id="from nothing to too big"),
    ],
)
def test_what_gets_no_larger_is_not_rejected(limit: Any, status: Json, stored: Json, rejects: bool) -> None:
    assert [excess[1] for excess in above(limit, status=status, stored=stored)] == [rejects]


def test_only_the_thing_that_is_measured_counts() -> None:
    stored = {"history": [1] * 10, "log": ""}
    grown_elsewhere = {"history": [1] * 10, "log": "x" * 500}
    items, size = limit(5, "status.history"), limit(200)
    assert [rejects for _, rejects in above(items, size, status=grown_elsewhere, stored=stored)] == [False, True]


def test_a_wildcard_compares_the_largest_with_the_largest() -> None:
    stored = {"nodes": {"a": {"l": [1] * 9}, "b": {"l": []}}}
    other = {"nodes": {"a": {"l": []}, "b": {"l": [1] * 9}}}
    assert [rejects for _, rejects in above(limit(3, "status.nodes.*.l"), status=other, stored=stored)] == [False]


@pytest.mark.parametrize("limit", ON_ANYTHING)
@pytest.mark.parametrize(
    ("submitted", "stored"),
    [
        pytest.param({"deletionTimestamp": "2026-01-01T00:00:00Z"}, {"name": "train"}, id="as submitted"),
        pytest.param({"name": "train"}, {"deletionTimestamp": "2026-01-01T00:00:00Z"}, id="as stored"),
    ],
)
def test_an_object_on_its_way_out_is_not_rejected(limit: Any, submitted: Json, stored: Json) -> None:
    attributes = write(custom_resource(BIGGER, metadata=submitted), custom_resource(BIG, metadata=stored))
    decision = evaluated(capped(limit), attributes)
    assert (decision.outcome, len(decision.warnings)) == (Outcome.UNCHANGED, 1)


def test_a_write_of_something_else_than_the_status_is_not_rejected() -> None:
    submitted = custom_resource(BIG, spec={"query": "x" * 500})
    attributes = write(submitted, custom_resource(BIG), subresource="")
    decision = evaluated(capped(limit(100, "Object")), attributes)
    assert (decision.outcome, len(decision.warnings)) == (Outcome.UNCHANGED, 1)
    assert evaluated(capped(limit(100, "Object")), write(submitted, subresource="")).outcome is Outcome.REJECTED


def test_what_is_trimmed_to_the_stored_status_is_a_no_op_that_warns() -> None:
    decision = decide(policy(cap_list(10), limits=[limit(5)]), {"history": [2, *[1] * 10]}, BIG)
    assert (decision.outcome, len(decision.warnings)) == (Outcome.SUPPRESSED, 1)


# --- the decision ----------------------------------------------------------------------------------------------------


def told(decision: Decision) -> str:
    return decision.message.partition(";")[0]


def test_a_rejection_has_no_patch_and_says_why_once() -> None:
    decision = decide(policy(cap_list(4), name="capped", limits=[limit(10), limit(5, action="Warn")]), FIVE)
    assert (decision.outcome, decision.reason, decision.patch) == (Outcome.REJECTED, Reason.ABOVE_LIMIT, ())
    assert told(decision) == "policy capped: the status takes 39 bytes, 29 bytes above the limit of 10 bytes"
    assert decision.warnings == ()
    assert decision.bytes_after == 39


def test_what_else_is_too_big_is_a_warning_beside_the_rejection() -> None:
    also = policy(name="more", limits=[limit(9)])
    decision = decide([capped(limit(10), limit(3, "status.history", "Warn"), limit(4, "status.history")), also], FIVE)
    assert told(decision) == "policy capped: the status takes 41 bytes, 31 bytes above the limit of 10 bytes"
    assert [warning.partition(";")[0] for warning in decision.warnings] == [
        "statuscap: policy capped: status.history has 5 items, 1 above the limit of 4",
        "statuscap: policy more: the status takes 41 bytes, 32 bytes above the limit of 9 bytes",
    ]


@pytest.mark.parametrize(("mode", "warned"), [(Mode.WARN, 1), (Mode.DRY_RUN, 0)])
def test_what_would_be_rejected_is_no_error_and_stays_a_warning(mode: Mode, warned: int) -> None:
    decision = decide(capped(limit(10), mode=mode), FIVE)
    assert (decision.outcome, len(decision.warnings)) == (Outcome.WOULD_REJECT, warned)
    assert all("would reject this write: the status takes 41 bytes" in warning for warning in decision.warnings)


def test_limits_are_judged_after_trimming() -> None:
    limited = policy(cap_list(2), limits=[limit(2, "status.history")])
    assert decide(limited, FIVE).outcome is Outcome.TRIMMED
    assert decide(policy(cap_list(3), limits=[limit(2, "status.history")]), FIVE).outcome is Outcome.REJECTED


def test_what_other_policies_trim_counts_too() -> None:
    limits = capped(limit(2, "status.history"), priority=0)
    assert decide([limits, policy(cap_list(2), name="later", priority=9)], FIVE).outcome is Outcome.TRIMMED


def test_a_warn_limit_changes_nothing_but_warns() -> None:
    limits = [limit(1, "status.history", "Warn")]
    decision = decide(policy(cap_list(2), limits=limits), FIVE)
    assert decision == Decision(
        **{name: getattr(decision, name) for name in decision.__struct_fields__}
        | {"outcome": Outcome.TRIMMED, "patch": decide(cap_list(2), FIVE).patch, "message": ""}
    )
    assert [text.partition(";")[0] for text in decision.warnings] == [
        "statuscap: policy volcano-job: status.history has 2 items, 1 above the limit of 1"
    ]
    unchanged = decide(capped(limit(1, "status.history", "Warn")), FIVE)
    assert (unchanged.outcome, unchanged.reason) == (Outcome.UNCHANGED, Reason.ABOVE_LIMIT)


def test_the_reports_tell_who_rejects_and_that_nothing_was_trimmed() -> None:
    decision = decide([capped(limit(5)), policy(cap_list(4), name="other")], FIVE)
    assert {one.name: (one.outcome, one.reason, one.items) for one in decision.policies} == {
        "capped": (Outcome.REJECTED, Reason.ABOVE_LIMIT, 0),
        "other": (Outcome.UNCHANGED, Reason.NONE, 1),
    }


def test_a_limit_holds_only_where_the_policy_looks_at_the_result() -> None:
    waiting = capped(limit(5), when=["status.phase In Waiting"])
    assert decide(waiting, FIVE).outcome is Outcome.UNCHANGED
    assert decide(waiting, FIVE | {"phase": "Waiting"}).outcome is Outcome.REJECTED
    bent = capped(limit(5), when=["status.history[4] Exists"], priority=9)
    assert decide(bent, FIVE).outcome is Outcome.REJECTED
    assert decide([policy(cap_list(2)), bent], FIVE).outcome is Outcome.TRIMMED


@pytest.mark.parametrize(("mode", "warned"), [(Mode.WARN, 1), (Mode.DRY_RUN, 0)])
def test_an_observed_policy_says_that_it_would_reject(mode: Mode, warned: int) -> None:
    decision = decide(capped(limit(5), mode=mode), FIVE)
    assert (decision.outcome, decision.patch) == (Outcome.WOULD_REJECT, ())
    assert told(decision) == "policy capped: the status takes 41 bytes, 36 bytes above the limit of 5 bytes"
    assert decision.policies[0].outcome is Outcome.WOULD_REJECT
    assert [text.partition(";")[0] for text in decision.warnings] == [
        (
            "statuscap: policy capped would reject this write: "
            "the status takes 41 bytes, 36 bytes above the limit of 5 bytes"
        )
    ][:warned]


def test_an_observed_policy_is_judged_alone_by_its_own_limits_on_its_own_trim() -> None:
    would_fit = policy(cap_list(2), name="fits", mode=Mode.DRY_RUN, limits=[limit(2, "status.history")])
    assert decide(would_fit, FIVE).outcome is Outcome.WOULD_TRIM
    limits = capped(limit(2, "status.history"), mode=Mode.DRY_RUN)
    assert decide([would_fit, limits], FIVE).outcome is Outcome.WOULD_REJECT
    enforced = policy(cap_list(2), name="enforced")
    assert decide([enforced, limits], FIVE).outcome is Outcome.TRIMMED


def test_a_warn_policy_tells_what_it_would_trim_and_what_is_still_above() -> None:
    warned = policy(cap_list(3), name="w", mode=Mode.WARN, limits=[limit(2, "status.history", "Warn")])
    assert [text.partition(";")[0] for text in decide(warned, FIVE).warnings] == [
        "statuscap: policy w would remove 4 bytes of the status (2 items removed or cut)",
        "statuscap: policy w: status.history has 3 items, 1 above the limit of 2",
    ]


def test_rejecting_is_stronger_than_what_else_would_happen() -> None:
    trims = policy(cap_list(2), name="a", mode=Mode.DRY_RUN)
    decision = decide([trims, capped(limit(5), mode=Mode.DRY_RUN)], FIVE, {"history": [4, 5], "phase": "Running"})
    assert decision.outcome is Outcome.WOULD_REJECT


def test_hostile_names_neither_break_the_line_nor_make_it_endless() -> None:
    names = ["a\nb\tc\x00\u2028\x1b[31m", "\u202e" * 500, "n" * 5_000, "d\r"]
    status = {name: [1] * 50 for name in names}
    limits = [limit(1, "status.*", "Warn"), limit(50)]
    decision = decide(capped(*limits), status)
    assert decision.message.isprintable()
    assert len(decision.message) < 1_000
    assert [len(text) <= 256 and text.isprintable() for text in decision.warnings] == [True]
    assert decide(capped(*limits, mode=Mode.WARN), status).warnings[0].isprintable()


def test_warnings_stay_few() -> None:
    many = [limit(1, f"status.l{n}", "Warn") for n in range(12)]
    assert len(decide(capped(*many), {f"l{n}": [1, 2] for n in range(12)}).warnings) == 8


def test_a_rejected_write_is_still_looked_at_by_those_who_only_observe() -> None:
    decision = decide([capped(limit(5)), policy(cap_list(2), name="observer", mode=Mode.DRY_RUN)], FIVE)
    assert [(one.name, one.outcome) for one in decision.policies] == [
        ("capped", Outcome.REJECTED),
        ("observer", Outcome.WOULD_TRIM),
    ]


def test_limits_hold_on_a_policy_s_own_root() -> None:
    from dataclasses import replace

    limited = replace(capped(limit(10)), root="spec")
    attributes = write(custom_resource(FIVE, spec={"query": "x" * 30}), subresource="")
    assert told(evaluated(limited, attributes)) == (
        "policy capped: the member spec takes 42 bytes, 32 bytes above the limit of 10 bytes"
    )


@pytest.mark.parametrize(("more", "outcome"), [(0, Outcome.UNCHANGED), (-1, Outcome.WOULD_REJECT)])
def test_who_observes_measures_the_object_without_the_ownership_of_what_is_trimmed(more: int, outcome: Outcome) -> None:
    fields: Json = {"f:status": {"f:history": {f'k:{{"id":{number}}}': {".": {}, "f:id": {}} for number in range(5)}}}
    sent = custom_resource({"history": [{"id": n} for n in range(5)]}, managed=[entry("controller", fields)])
    attributes = write(sent, subresource="")
    trims = policy(cap_list(1))
    size = len(go(plain(patched(attributes, evaluated(trims, attributes)))))
    decision = evaluated([trims, capped(limit(size + more, "Object"), mode=Mode.WARN)], attributes)
    assert [report.outcome for report in decision.policies] == [Outcome.TRIMMED, outcome]
