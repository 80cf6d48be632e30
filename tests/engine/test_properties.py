"""The invariants over random policies and random writes, judged by an oracle of its own."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from admission.engine.decision import Decision, Outcome
from admission.engine.policy import Mode
from tests.engine import strategies
from tests.engine.build import exact, judge, patched, raw
from tests.engine.conftest import EXAMPLES
from tests.engine.oracle import as_go_writes, left_to_validate, phases_agree, problems
from tests.engine.oracle.matching import looking
from tests.engine.pair import Pair
from tests.engine.strategies import Drawn
from tests.fuzz.judging import keeps_a_claim, once_stored


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    """Some policies and a write that they are for."""
    return strategies.a_pair(Drawn(draw))


def judged(pair: Pair) -> Decision:
    """The decision."""
    return judge(pair.policy_set, pair.attributes)


def unexpected(decision: Decision) -> list[str]:
    """Violations that steps of ours should never cause. Steps that undo each other are the rounds' business."""
    return [str(violation) for violation in decision.violations if violation.invariant != "I4"]


@settings(max_examples=EXAMPLES or 800)
@given(pairs())
def test_every_answer_keeps_the_invariants(pair: Pair) -> None:
    decision = judged(pair)
    assert problems(pair, decision) == []
    assert unexpected(decision) == []


@settings(max_examples=EXAMPLES or 150)
@given(pairs())
def test_an_answer_is_final(pair: Pair) -> None:
    decision = judged(pair)
    if decision.violations or decision.outcome is Outcome.REJECTED or keeps_a_claim(decision):
        return
    result = raw(as_go_writes(patched(pair.attributes, decision)).encode())
    again = judged(pair.sending(replace(pair.attributes, submitted=result)))
    assert not again.patch
    over_itself = once_stored(pair.attributes, result)
    assert over_itself is None or not judged(pair.sending(over_itself)).patch


@settings(max_examples=EXAMPLES or 100)
@given(pairs())
def test_the_same_input_gives_the_same_answer_and_stays_as_it_was(pair: Pair) -> None:
    before = bytes(pair.attributes.submitted), bytes(pair.attributes.stored or b"")
    first, attributes = judged(pair), pair.attributes
    turned = replace(attributes, request_dry_run=not attributes.request_dry_run)
    assert judge(pair.under(pair.policies[::-1]).policy_set, turned) == first
    assert (bytes(attributes.submitted), bytes(attributes.stored or b"")) == before


@settings(max_examples=EXAMPLES or 100)
@given(pairs())
def test_the_form_of_the_bytes_changes_nothing_but_the_form(pair: Pair) -> None:
    attributes = pair.attributes
    sent = bytes(attributes.submitted)
    assume(b"\\\\u0026" not in sent)  # a backslash before it is escaped itself: then it is text
    loose = replace(attributes, submitted=raw(sent.replace(b'":', b'" : ').replace(b"\\u0026", b"&")), compact=False)
    assume(exact(loose.submitted) == exact(attributes.submitted))  # no text held what was replaced
    tight, other = judged(pair), judged(pair.sending(loose))
    assert other.outcome is tight.outcome
    assert patched(loose, other) == patched(attributes, tight)
    assert (other.bytes_before, other.bytes_after) == (tight.bytes_before, tight.bytes_after)


@settings(max_examples=EXAMPLES or 100)
@given(pairs())
def test_only_enforced_policies_touch_a_write(pair: Pair) -> None:
    enforced = [policy for policy in looking(pair) if policy.mode is Mode.ENFORCE]
    decision, alone = judged(pair), judged(pair.under(enforced))
    assert decision.patch == alone.patch
    if alone.outcome is not Outcome.UNCHANGED:
        assert decision.outcome is alone.outcome
    assert bool(decision.patch) is (decision.outcome in (Outcome.TRIMMED, Outcome.SUPPRESSED))


@settings(max_examples=EXAMPLES or 200)
@given(pairs())
def test_the_validating_phase_rejects_what_it_should_and_never_what_has_passed(
    pair: Pair,
) -> None:
    decision = judged(pair)
    assert list(phases_agree(left_to_validate(pair, decision), decision)) == []


@settings(max_examples=EXAMPLES or 60)
@given(pairs())
def test_time_matters_only_to_ages(pair: Pair) -> None:
    ages = any(word in repr(pair.policies) for word in ("erThan", "ER_THAN", "older_than"))
    if ages or any(policy.suppress for policy in pair.policies):
        return
    assert judge(pair.policy_set, pair.attributes, 0) == judge(pair.policy_set, pair.attributes, 2**62)
