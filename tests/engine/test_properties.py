"""The invariants over random policies and random writes, judged by an oracle of its own."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from admission.engine.attributes import Attributes
from admission.engine.decision import WOULD, Decision, Outcome
from admission.engine.policy import Mode, Policy
from tests.engine import strategies
from tests.engine.build import Json, exact, go, judge, patched, plain, raw
from tests.engine.conftest import EXAMPLES
from tests.engine.oracle import left_to_validate, phases_agree, problems
from tests.engine.strategies import Drawn
from tests.fuzz.run import keeps_a_claim, may_keep_a_claim


@st.composite
def writes(draw: st.DrawFn) -> tuple[tuple[Policy, ...], Attributes]:
    """Some policies and a write that they are for."""
    dice = Drawn(draw)
    policies = strategies.some_policies(dice)
    return policies, strategies.a_write(dice, lambda attributes: stored_after(policies, attributes))


def stored_after(policies: tuple[Policy, ...], attributes: Attributes) -> Json:
    """The object that the API server would store, its metadata as the webhook left them."""
    return plain(patched(attributes, judge(policies, attributes)))


def unexpected(decision: Decision) -> list[str]:
    """Violations that steps of ours should never cause. Steps that undo each other are the rounds' business."""
    return [str(violation) for violation in decision.violations if violation.invariant != "I4"]


@settings(max_examples=EXAMPLES or 800)
@given(writes())
def test_every_answer_keeps_the_invariants(case: tuple[tuple[Policy, ...], Attributes]) -> None:
    policies, attributes = case
    decision = judge(policies, attributes)
    assert problems(policies, attributes, decision) == []
    assert unexpected(decision) == []


@settings(max_examples=EXAMPLES or 150)
@given(writes())
def test_an_answer_is_final(case: tuple[tuple[Policy, ...], Attributes]) -> None:
    policies, attributes = case
    decision = judge(policies, attributes)
    if decision.violations or decision.outcome is Outcome.REJECTED:
        return
    if keeps_a_claim(decision):
        return
    result = plain(patched(attributes, decision))
    again = judge(policies, replace(attributes, submitted=raw(go(result))))
    assert not again.patch
    if may_keep_a_claim(attributes):
        return
    stored = judge(policies, replace(attributes, submitted=raw(go(result)), stored=raw(go(result))))
    assert not stored.patch


@settings(max_examples=EXAMPLES or 100)
@given(writes())
def test_the_same_input_gives_the_same_answer_and_stays_as_it_was(case: tuple[tuple[Policy, ...], Attributes]) -> None:
    policies, attributes = case
    before = bytes(attributes.submitted), bytes(attributes.stored or b"")
    first = judge(policies, attributes)
    assert judge(policies[::-1], replace(attributes, request_dry_run=True)) == first
    assert (bytes(attributes.submitted), bytes(attributes.stored or b"")) == before


@settings(max_examples=EXAMPLES or 100)
@given(writes())
def test_the_form_of_the_bytes_changes_nothing_but_the_form(case: tuple[tuple[Policy, ...], Attributes]) -> None:
    policies, attributes = case
    sent = bytes(attributes.submitted)
    assume(b"\\\\u0026" not in sent)  # a backslash before it is escaped itself: then it is text
    loose = replace(attributes, submitted=raw(sent.replace(b'":', b'" : ').replace(b"\\u0026", b"&")), compact=False)
    assume(exact(loose.submitted) == exact(attributes.submitted))  # no text held what was replaced
    tight, other = judge(policies, attributes), judge(policies, loose)
    assert other.outcome is tight.outcome
    assert patched(loose, other) == patched(attributes, tight)
    assert (other.bytes_before, other.bytes_after) == (tight.bytes_before, tight.bytes_after)


@settings(max_examples=EXAMPLES or 100)
@given(writes())
def test_only_enforced_policies_touch_a_write(case: tuple[tuple[Policy, ...], Attributes]) -> None:
    policies, attributes = case
    enforced = [policy for policy in policies if policy.mode is Mode.ENFORCE]
    decision, alone = judge(policies, attributes), judge(enforced, attributes)
    assert decision.patch == alone.patch
    if alone.outcome is not Outcome.UNCHANGED:
        assert decision.outcome is alone.outcome
    if decision.outcome not in (Outcome.UNCHANGED, Outcome.REJECTED):
        assert (decision.outcome in WOULD.values()) is not bool(decision.patch)


@settings(max_examples=EXAMPLES or 200)
@given(writes())
def test_the_validating_phase_rejects_what_it_should_and_never_what_has_passed(
    case: tuple[tuple[Policy, ...], Attributes],
) -> None:
    policies, attributes = case
    decision = judge(policies, attributes)
    assert list(phases_agree(policies, left_to_validate(attributes, decision), decision)) == []


@settings(max_examples=EXAMPLES or 60)
@given(writes())
def test_time_matters_only_to_ages(case: tuple[tuple[Policy, ...], Attributes]) -> None:
    policies, attributes = case
    if "OlderThan" in repr(policies):
        return
    assert judge(policies, attributes, 0) == judge(policies, attributes, 2**62)
