"""Each way not to converge is found, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision, Op, Outcome
from admission.engine.evaluate import evaluate
from admission.engine.instant import SECOND
from admission.engine.policy import Mode, PolicySet
from admission.policyfile.convergence.instants import NOW
from admission.policyfile.convergence.sample import Sample
from admission.policyfile.convergence.trial import Trial, enforce
from tests.engine.build import budget, cap_list, limit, policy, suppress, truncate
from tests.policyfile.convergence.policies import CALM, CUTTING, RESTORING, WHERE, chain


def sample(status: Any, stored: Any = None) -> Sample:
    return Sample(WHERE, {"status": status}, None if stored is None else {"status": stored})


def condition(identity: str) -> dict[str, Any]:
    return {"conditions": [{"type": "Ready", "status": "True", "transitionID": identity}]}


def replaced(attributes: Attributes, value: Any) -> Decision:
    """An answer that makes the status something else."""
    return Decision(Outcome.TRIMMED, patch=(Op("replace", "/status", json.dumps(value).encode()),))


def test_a_cap_converges() -> None:
    assert Trial([CALM]).fault(sample({"history": [{"n": n} for n in range(9)]})) is None


def test_steps_that_need_more_rounds_than_there_are_break_an_invariant() -> None:
    long = sample({name: [{}, {}] for name in "abcd"})
    fault = Trial([chain("a", "b", "c", "d")]).fault(long)
    assert fault is not None
    assert fault.message == "capList of policy chain: still changing after 3 rounds (I4)"
    assert Trial([chain("a", "b", "c")]).fault(long) is None


def test_two_that_settle_alone_may_not_together() -> None:
    one, other = chain("a", "b", name="one", priority=2), chain("b", "c", "d", name="other", priority=1)
    long = sample({name: [{}, {}] for name in "abcd"})
    assert Trial([other]).fault(long) is None
    assert Trial([one]).fault(long) is None
    assert Trial([one, other]).fault(long) is None
    late = chain("z", "a", "b", "c", "d", name="late", priority=0)
    assert Trial([late, other]).fault(sample({name: [{}, {}] for name in "zabcd"})) is not None


def test_one_that_would_put_back_what_another_cuts_is_undone() -> None:
    fault = Trial([CUTTING, RESTORING]).fault(sample(condition("new"), condition("old")))
    assert fault is not None
    assert fault.message == "policy restoring alone changes again what both have left"


def test_one_that_alone_would_hold_back_what_another_cuts_undoes_nothing() -> None:
    """Together they do not hold back anything over what is stored and still to be cut."""
    cutting = policy(truncate(40, "status.message", marker="…"), name="cutting")
    beating = policy(truncate(90, "status.message"), suppress=[suppress("status.message", any_value=True)], name="beat")
    message = {"status": {"message": "x" * 50}}
    both = Sample(WHERE, message, message, written=NOW - SECOND, roots=("status",))
    assert Trial([cutting, beating]).fault(both) is None


@pytest.mark.parametrize(
    ("becomes", "message"),
    [
        pytest.param(lambda n: n + 1, "the result is changed again when it is sent instead", id="grows"),
        pytest.param(lambda n: {0: 1, 1: 1}.get(n, n), None, id="settles"),
    ],
)
def test_a_result_that_changes_again_is_found(becomes: Any, message: str | None) -> None:
    def engine(policies: PolicySet, attributes: Attributes, now: int) -> Decision:
        before = json.loads(bytes(attributes.submitted))["status"]["n"]
        after = becomes(before)
        return Decision(Outcome.UNCHANGED) if after == before else replaced(attributes, {"n": after})

    fault = Trial([CALM], evaluate=engine).fault(sample({"n": 0}))
    assert (fault and fault.message) == message


def test_a_result_that_changes_once_it_is_stored_is_found() -> None:
    def engine(policies: PolicySet, attributes: Attributes, now: int) -> Decision:
        stored = None if attributes.stored is None else json.loads(bytes(attributes.stored))
        return replaced(attributes, {"n": 2}) if stored == {"status": {"n": 1}} else Decision(Outcome.UNCHANGED)

    fault = Trial([CALM], evaluate=engine).fault(sample({"n": 1}, {"n": 0}))
    assert fault is not None
    assert fault.message == "the result is changed again once it is stored and sent back"


def test_a_write_that_ends_differently_each_time_it_is_sent_is_found() -> None:
    """Ping-pong over two writes: what is stored decides which of two results it is."""

    def engine(policies: PolicySet, attributes: Attributes, now: int) -> Decision:
        sent = json.loads(bytes(attributes.submitted))["status"]["n"]
        stored = json.loads(bytes(attributes.stored or b'{"status": {"n": 0}}'))["status"]["n"]
        if sent != "x":
            return Decision(Outcome.UNCHANGED)
        return replaced(attributes, {"n": 2 if stored == 1 else 1})

    fault = Trial([CALM], evaluate=engine).fault(sample({"n": "x"}))
    assert fault is not None
    assert fault.message == (
        "sent a second and a third time over what is stored, the same write ends differently each time"
    )


def test_policies_are_tried_enforced_for_whichever_objects_they_are() -> None:
    observing = policy(cap_list(1), mode="DryRun", limits=[limit(1)])
    enforced = enforce(observing)
    assert (enforced.mode, enforced.limits, enforced.trim) == (Mode.ENFORCE, (), observing.trim)
    (entry,) = enforce(policy(budget(2**20, cap_list(1), of="Object"))).trim
    assert entry.step == budget(1, cap_list(1), of="Object"), "no sample is as large as that"
    seen: list[int] = []

    def engine(policies: PolicySet, attributes: Attributes, now: int) -> Decision:
        decision = evaluate(policies, attributes, now)
        seen.append(len(decision.patch))
        return decision

    assert Trial([observing], evaluate=engine).fault(sample({"history": [{}, {}]})) is None
    assert seen[0] == 1
