"""Holding back what trimming left of a write, in every mode."""

from __future__ import annotations

import pytest
from msgspec import Raw
from msgspec.structs import replace

from admission.engine.decision import Decision, Op, Outcome, Reason
from admission.engine.document import Document
from admission.engine.holdback import hold_back
from admission.engine.instant import SECOND
from admission.engine.invariants import not_stored
from admission.engine.policy import Mode
from admission.engine.settle import settle
from admission.engine.values import Container, Key, Trail
from tests.engine.build import (
    NOW,
    Json,
    at,
    cap_list,
    custom_resource,
    entry,
    judge,
    limit,
    patched,
    plain,
    policy,
    raw,
    suppress,
    truncate,
    write,
)

BEATING: Json = {"f:status": {"f:history": {}, "f:lastActiveTime": {}}}
BEFORE = entry("controller", BEATING, time=at(719))
NOW_TEXT = at(720)


def status(*history: int, minute: int = 719, **more: Json) -> Json:
    return {"history": list(history), "lastActiveTime": at(minute)} | more


STORED = custom_resource(status(2, 3), managed=[BEFORE])
SENT = custom_resource(status(1, 2, 3, minute=720), managed=[entry("controller", BEATING, time=NOW_TEXT)])


def outcomes(decision: Decision) -> list[tuple[str, Outcome, Reason]]:
    return [(each.name, each.outcome, each.reason) for each in decision.policies]


def test_what_is_left_of_a_trimmed_write_is_held_back() -> None:
    attributes = write(SENT, STORED)
    decision = judge(policy(cap_list(2), suppress=[suppress()]), attributes)
    assert (decision.outcome, decision.reason) == (Outcome.SUPPRESSED, Reason.WITHIN_STALENESS)
    assert plain(patched(attributes, decision)) == STORED
    (report,) = decision.policies
    assert [(step.step, step.items, step.put_back) for step in report.steps] == [("capList", 1, 0), ("suppress", 1, 1)]
    assert (report.items, report.put_back) == (1, 1)


def test_a_policy_that_only_trims_is_told_that_the_write_was_held_back_too() -> None:
    both = [policy(cap_list(2), name="cap"), policy(name="rest", suppress=[suppress()])]
    assert outcomes(judge(both, write(SENT, STORED))) == [
        ("cap", Outcome.SUPPRESSED, Reason.NONE),
        ("rest", Outcome.SUPPRESSED, Reason.WITHIN_STALENESS),
    ]


def test_nothing_is_held_back_while_what_is_stored_is_not_trimmed_itself() -> None:
    untrimmed = custom_resource(status(1, 2, 3), managed=[BEFORE])
    sent = custom_resource(status(1, 2, 3, minute=720), managed=[BEFORE])
    decision = judge(policy(cap_list(2), suppress=[suppress()]), write(sent, untrimmed))
    assert decision.outcome is Outcome.TRIMMED
    assert decision.patch == (Op("remove", "/status/history/0"),)
    only_other = [policy(cap_list(2, at="status.others"), name="other"), policy(name="rest", suppress=[suppress()])]
    assert judge(only_other, write(sent, untrimmed)).outcome is Outcome.SUPPRESSED


def test_a_longer_stored_text_that_a_new_policy_would_cut_is_written_once_more() -> None:
    stored = custom_resource(status(1, message="x" * 200), managed=[BEFORE])
    sent = custom_resource(status(1, minute=720, message="x" * 200), managed=[BEFORE])
    decision = judge(policy(truncate(100), suppress=[suppress()]), write(sent, stored))
    assert decision.outcome is Outcome.TRIMMED


@pytest.mark.parametrize("mode", [Mode.DRY_RUN, Mode.WARN])
def test_a_policy_that_is_not_enforced_tells_what_it_would_have_held_back(mode: Mode) -> None:
    attributes = write(SENT, STORED)
    decision = judge(policy(cap_list(2), suppress=[suppress()], mode=mode), attributes)
    assert (decision.outcome, decision.reason, decision.patch) == (
        Outcome.WOULD_SUPPRESS,
        Reason.WITHIN_STALENESS,
        (),
    )
    assert decision.policies[0].max_staleness == 60 * SECOND


def test_an_observed_policy_counts_on_the_rules_that_are_enforced() -> None:
    stored = custom_resource(status(2, 3, size=100), managed=[entry("controller", {"f:status": {}}, time=at(719))])
    sent = custom_resource(status(2, 3, minute=720, size=101), managed=[entry("controller", {"f:status": {}})])
    times = policy(name="times", suppress=[suppress()])
    sizes = policy(name="sizes", suppress=[suppress("status.size", most="5")], mode=Mode.DRY_RUN)
    assert outcomes(judge([sizes], write(sent, stored)))[0][1] is Outcome.UNCHANGED
    decision = judge([times, sizes], write(sent, stored))
    assert decision.outcome is Outcome.WOULD_SUPPRESS
    assert outcomes(decision) == [
        ("times", Outcome.UNCHANGED, Reason.NONE),
        ("sizes", Outcome.WOULD_SUPPRESS, Reason.WITHIN_STALENESS),
    ]


def test_the_rules_of_an_observed_policy_never_hold_back_a_write() -> None:
    both = [policy(cap_list(2), name="cap"), policy(name="rest", suppress=[suppress()], mode=Mode.DRY_RUN)]
    attributes = write(SENT, STORED)
    decision = judge(both, attributes)
    assert decision.outcome is Outcome.TRIMMED
    assert plain(patched(attributes, decision))["status"] == status(2, 3, minute=720)
    assert decision.policies[1].outcome is Outcome.WOULD_SUPPRESS


def items(*numbers: int, minute: int = 719) -> Json:
    return {"history": [{"id": number} for number in numbers], "lastActiveTime": at(minute)}


def applied(*numbers: int, minute: int) -> Json:
    keyed: Json = {f'k:{{"id":{number}}}': {".": {}, "f:id": {}} for number in numbers}
    fields: Json = {"f:status": {"f:history": keyed, "f:lastActiveTime": {}}}
    return entry("controller", fields, operation="Apply", time=at(minute))


def test_an_observed_policy_sees_the_owners_that_the_enforced_ones_leave() -> None:
    """What is trimmed by apply loses its owners, too; with those that were sent it would never be held back."""
    stored = custom_resource(items(2, 3), managed=[applied(2, 3, minute=719)])
    sent = custom_resource(items(1, 2, 3, minute=720), managed=[applied(1, 2, 3, minute=720)])
    cap, rest = policy(cap_list(2), name="cap"), policy(name="rest", suppress=[suppress()], mode=Mode.DRY_RUN)
    decision = judge([cap, rest], write(sent, stored))
    assert outcomes(decision) == [
        ("cap", Outcome.TRIMMED, Reason.NONE),
        ("rest", Outcome.WOULD_SUPPRESS, Reason.WITHIN_STALENESS),
    ]
    enforced = judge([cap, policy(name="rest", suppress=[suppress()])], write(sent, stored))
    assert enforced.outcome is Outcome.SUPPRESSED


def test_a_policy_whose_when_does_not_hold_holds_back_nothing() -> None:
    rule = policy(suppress=[suppress()], when=["status.phase In Running"])
    assert outcomes(judge(rule, write(SENT, STORED))) == [("volcano-job", Outcome.UNCHANGED, Reason.WHEN_NOT_MET)]


def test_a_write_that_is_held_back_is_never_above_a_limit_that_rejects() -> None:
    rule = policy(cap_list(2), suppress=[suppress()], limits=[limit(10)])
    decision = judge(rule, write(SENT, STORED))
    assert decision.outcome is Outcome.SUPPRESSED
    assert len(decision.warnings) == 1


def test_holding_back_twice_changes_nothing() -> None:
    attributes = write(SENT, STORED)
    rule = policy(cap_list(2), suppress=[suppress()])
    result = patched(attributes, judge(rule, attributes))
    again = judge(rule, write(plain(result), STORED))
    assert (again.outcome, again.patch) == (Outcome.UNCHANGED, ())


# --- the check of the patch ------------------------------------------------------------------------------------------


def test_a_patch_that_does_not_lead_to_what_is_stored_is_found() -> None:
    document = Document.of(write(SENT, STORED))
    back = (
        Op("replace", "/status", b'{"history":[2,3],"lastActiveTime":"%s"}' % at(719).encode()),
        Op("replace", "/metadata/managedFields/0/time", f'"{at(719)}"'.encode()),
    )
    assert not_stored(document, back) is None
    assert "managedFields" in (not_stored(document, back[:1]) or document).detail  # type: ignore[union-attr]
    for patch, invariant in [
        (back[1:], "I2"),
        ((*back, Op("remove", "/status/history/7")), "I2"),
        ((*back, Op("replace", "/spec/queue", b'"x"')), "I1"),
    ]:
        fault = not_stored(document, patch)
        assert fault is not None
        assert fault.invariant == invariant


def test_rules_that_cannot_be_carried_out_are_left_out_and_told() -> None:
    attributes = write(SENT, STORED)

    class Bent(Document):
        def put_back(self, trail: Trail, container: Container, key: Key, value: Raw) -> None:
            super().put_back(trail, container, key, raw('"bent"'))

    rule = policy(suppress=[suppress()])
    sent = replace(attributes, submitted=write(custom_resource(status(2, 3, minute=720), managed=[BEFORE])).submitted)
    verdict = settle([rule], sent, lambda: Bent.of(sent), NOW)
    assert verdict.outcome is Outcome.SKIPPED
    assert [(each.invariant, each.policy, each.step) for each in verdict.violations] == [
        ("I2", "volcano-job", "suppress")
    ]
    assert (verdict.patch, verdict.reason) == ((), Reason.INVARIANT_VIOLATED)
    assert verdict.reports[0].outcome is Outcome.SKIPPED


def test_without_rules_nothing_is_compared() -> None:
    attributes = write(SENT, STORED)
    verdict = settle([policy(cap_list(2))], attributes, lambda: Document.of(attributes), NOW)
    assert hold_back(verdict, (), attributes, NOW) is None
    assert verdict.outcome is Outcome.TRIMMED
