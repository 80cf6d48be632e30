"""The validating phase: limits alone, on the object as it would be stored."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import pytest
from msgspec import Raw

from admission.engine.decision import Decision, Outcome, Reason
from admission.engine.document import Document
from admission.engine.fieldpath import FieldPath
from admission.engine.licence import Licence
from admission.engine.limits import Limit
from admission.engine.policy import Mode, Policy, PolicySet
from admission.engine.steps import Effect, Step
from admission.engine.validate import validate
from tests.engine.build import (
    NOW,
    Json,
    after,
    cap_list,
    custom_resource,
    entry,
    judge,
    limit,
    path,
    policy,
    truncate,
    write,
)

FIVE: Json = {"history": [1, 2, 3, 4, 5], "phase": "Running"}
ITEMS = limit(4, "status.history")


def validated(*policies: Policy, status: Json = None, stored: Json = None) -> Decision:
    before = None if stored is None else custom_resource(stored)
    return validate(PolicySet.of(policies), write(custom_resource(status or FIVE), before), NOW)


def outcomes(decision: Decision) -> dict[str, tuple[Outcome, Reason]]:
    return {report.name: (report.outcome, report.reason) for report in decision.policies}


def test_rejects_what_is_above_a_limit_and_never_patches() -> None:
    decision = validated(policy(cap_list(2), limits=[ITEMS]))
    assert (decision.outcome, decision.patch) == (Outcome.REJECTED, ())
    assert decision.message.startswith("policy volcano-job: status.history has 5 items, 1 above the limit of 4")
    assert (decision.bytes_before, decision.bytes_after) == (41, 41)


@pytest.mark.parametrize("stored", [None, {"history": []}])
def test_says_the_same_as_the_mutating_phase_when_nothing_is_trimmed(stored: Json) -> None:
    limited = policy(limits=[ITEMS, limit(10, action="Warn")])
    attributes = write(custom_resource(FIVE), None if stored is None else custom_resource(stored))
    assert validate(PolicySet.of([limited]), attributes, NOW) == judge(limited, attributes)


def test_what_is_above_none_is_unchanged_whatever_steps_would_do() -> None:
    decision = validated(policy(cap_list(2), limits=[limit(5, "status.history")]), policy(cap_list(1), name="other"))
    assert (decision.outcome, decision.patch, decision.warnings) == (Outcome.UNCHANGED, (), ())
    assert outcomes(decision) == {"volcano-job": (Outcome.UNCHANGED, Reason.NONE)}
    assert all(report.steps == () for report in decision.policies)


def test_policies_without_limits_are_not_looked_at() -> None:
    assert validated(policy(cap_list(2))).reason is Reason.NO_POLICY
    assert validated(policy(limits=[ITEMS], mode=Mode.OFF)).reason is Reason.NO_POLICY


def test_a_limit_holds_only_where_the_policy_looks_at_the_object() -> None:
    assert validated(policy(limits=[ITEMS], when=["status.phase In Done"])).outcome is Outcome.UNCHANGED
    assert validated(policy(limits=[ITEMS], when=["status.phase In Running"])).outcome is Outcome.REJECTED


@pytest.mark.parametrize("stored", [FIVE, {"history": [0] * 6}], ids=["as big", "bigger"])
def test_what_gets_no_larger_passes_with_a_warning(stored: Json) -> None:
    decision = validated(policy(limits=[ITEMS]), stored=stored)
    assert (decision.outcome, len(decision.warnings)) == (Outcome.UNCHANGED, 1)


def test_a_root_that_was_only_trimmed_since_it_was_stored_is_not_rejected_for_what_grew_beside_it() -> None:
    limited = policy(cap_list(4), limits=[limit(100, "Object")])
    before, after = custom_resource(FIVE), custom_resource(FIVE, spec={"note": "n" * 99})
    mutating = write(after, before, subresource="")
    assert judge(limited, mutating).outcome is Outcome.TRIMMED
    trimmed = custom_resource(FIVE | {"history": [2, 3, 4, 5]}, spec={"note": "n" * 99})
    decision = validate(PolicySet.of([limited]), write(trimmed, before, subresource=""), NOW)
    assert (decision.outcome, len(decision.warnings)) == (Outcome.UNCHANGED, 1)
    grown = custom_resource(FIVE | {"history": [1, 2, 3, 4, 5, 6]}, spec={"note": "n" * 99})
    assert validate(PolicySet.of([limited]), write(grown, before, subresource=""), NOW).outcome is Outcome.REJECTED


AS_ONE: Json = [
    entry("applier", {"f:status": {"f:history": {}}}, "Apply"),
    entry("ci", {"f:status": {"f:history": {}}}),
]
OF_ONE: Json = [entry("ci", {"f:status": {"f:history": {}}})]


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize(
    ("stored", "submitted"),
    [pytest.param(AS_ONE, OF_ONE, id="let go since"), pytest.param(OF_ONE, AS_ONE, id="claimed since")],
)
@pytest.mark.parametrize("left", [[1, 2, 3, 4, 5], [2, 3, 4, 5], [4, 5]], ids=str)
@pytest.mark.parametrize("what", [limit(100, "Object"), limit(1), limit(1, "status.history")], ids=repr)
def test_an_edit_that_does_not_grow_the_status_is_never_rejected_whoever_owns_it(
    stored: Json, submitted: Json, left: Json, what: Limit, mode: Mode
) -> None:
    before = custom_resource(FIVE, managed=stored)
    edited = custom_resource(FIVE | {"history": left}, managed=submitted, spec={"note": "n" * 99})
    limited = policy(cap_list(4), limits=[what], mode=mode)
    decision = validate(PolicySet.of([limited]), write(edited, before, subresource=""), NOW)
    assert (decision.outcome, decision.message) == (Outcome.UNCHANGED, "")


@pytest.mark.parametrize("subresource", ["", "status"])
def test_nor_one_that_cuts_a_text_to_more_characters_of_fewer_bytes(subresource: str) -> None:
    before, cut = custom_resource({"message": "😀" * 100}), truncate(390, marker="… {bytes} bytes are cut")
    limited = policy(cut, limits=[limit(100, "status.message", length=True)])
    edited = after(cut, before)
    assert len(edited["status"]["message"]) > 100
    decision = validate(PolicySet.of([limited]), write(edited, before, subresource=subresource), NOW)
    assert decision.outcome is Outcome.UNCHANGED
    uncut = replace(limited, trim=())
    expected = Outcome.REJECTED if subresource else Outcome.UNCHANGED
    assert validate(PolicySet.of([uncut]), write(edited, before, subresource=subresource), NOW).outcome is expected


def test_a_policy_that_observes_is_judged_by_what_its_steps_would_have_left() -> None:
    fits = policy(cap_list(2), name="fits", mode=Mode.WARN, limits=[ITEMS])
    decision = validated(fits)
    assert (decision.outcome, decision.warnings) == (Outcome.UNCHANGED, ())
    rejects = policy(cap_list(5), name="rejects", mode=Mode.WARN, limits=[ITEMS])
    decision = validated(fits, rejects)
    assert (decision.outcome, len(decision.warnings)) == (Outcome.WOULD_REJECT, 1)
    assert outcomes(decision) == {
        "fits": (Outcome.UNCHANGED, Reason.NONE),
        "rejects": (Outcome.WOULD_REJECT, Reason.ABOVE_LIMIT),
    }


def test_an_observed_policy_without_steps_is_judged_as_it_is() -> None:
    decision = validated(policy(limits=[ITEMS], mode=Mode.DRY_RUN))
    assert (decision.outcome, decision.warnings) == (Outcome.WOULD_REJECT, ())


# --- a policy that was left out --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Spoils:
    """A step that changes what it has no licence for."""

    kind: ClassVar[str] = "spoils"

    @property
    def paths(self) -> tuple[FieldPath, ...]:
        return (path("status.phase"),)

    @property
    def licence(self) -> Licence:
        return Licence()

    def apply(self, document: Document, now: int) -> Effect:
        for trail, container, key in list(document.places(self.paths[0])):
            document.replace(trail, container, key, Raw(b'"x"'))
        return Effect(ran=True, found=True)


def spoiling(name: str, mode: Mode = Mode.ENFORCE) -> Policy:
    step: Step = Spoils()
    return policy(step, name=name, limits=[ITEMS], mode=mode)


def test_a_policy_that_breaks_an_invariant_rejects_in_neither_phase() -> None:
    attributes = write(custom_resource(FIVE), custom_resource({"history": []}))
    mutating = judge(spoiling("spoils"), attributes)
    assert (mutating.outcome, mutating.message) == (Outcome.SKIPPED, "")
    validating = validate(PolicySet.of([spoiling("spoils")]), attributes, NOW)
    assert (validating.outcome, validating.message) == (Outcome.UNCHANGED, "")
    assert outcomes(validating) == {"spoils": (Outcome.SKIPPED, Reason.INVARIANT_VIOLATED)}
    assert validating.violations == ()


@pytest.mark.parametrize("mode", [Mode.WARN, Mode.DRY_RUN])
def test_nor_would_it_reject_when_it_observes(mode: Mode) -> None:
    attributes = write(custom_resource(FIVE))
    for decision in (
        judge(spoiling("spoils", mode), attributes),
        validate(PolicySet.of([spoiling("spoils", mode)]), attributes, NOW),
    ):
        assert (decision.outcome, decision.warnings) == (Outcome.UNCHANGED, ())


def test_the_others_go_on_rejecting() -> None:
    attributes = write(custom_resource(FIVE))
    policies = [spoiling("spoils"), policy(name="sound", limits=[ITEMS])]
    for decision in (judge(policies, attributes), validate(PolicySet.of(policies), attributes, NOW)):
        assert decision.outcome is Outcome.REJECTED
        assert decision.message.startswith("policy sound: ")
        assert outcomes(decision)["spoils"] == (Outcome.SKIPPED, Reason.INVARIANT_VIOLATED)


def test_when_all_are_left_out_none_rejects() -> None:
    policies = [spoiling("a"), spoiling("b"), policy(name="sound", limits=[ITEMS])]
    for decision in (judge(policies, write(custom_resource(FIVE))), validated(*policies)):
        assert decision.outcome in (Outcome.SKIPPED, Outcome.UNCHANGED)
        assert {one[0] for one in outcomes(decision).values()} == {Outcome.SKIPPED}
