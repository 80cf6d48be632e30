"""Whether a rejection was due, said slowly: in plain Python over decoded JSON, without the engine's measures.

What trimming leaves is the engine's own (the oracle judges it elsewhere): the same policies without their limits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from msgspec.structs import replace as bent

from admission.engine.attributes import Attributes
from admission.engine.decision import WOULD, Decision, Outcome
from admission.engine.fieldpath import EveryEntry, FieldPath, Index, Items, Member, Segment
from admission.engine.limits import Action, Length, Limit, Size
from admission.engine.limits import Items as ItemsOf
from admission.engine.policy import Mode, Policy, PolicySet
from admission.engine.sides import Of
from admission.engine.validate import validate
from tests.engine.build import NOW, Json, exact, judge, patched, raw
from tests.engine.oracle.gotext import as_go_writes, size

Place: TypeAlias = Sequence[Segment]


def at(value: Json, place: Place) -> Iterator[Json]:
    """Every value that a path leads to."""
    if not place:
        yield value
        return
    for inner in _steps(value, place[0]):
        yield from at(inner, place[1:])


def _steps(value: Json, segment: Segment) -> list[Json]:
    match segment, value:
        case Member(name), dict():
            return [value[name]] if name in value else []
        case EveryEntry(), dict():
            return [*value.values()]
        case Items(start, stop), list():
            return value[start:stop]
        case Index(index), list():
            return value[index:][:1] if -len(value) <= index else []
        case _:
            return []


def longest(whole: Json, path: FieldPath, kind: type[list[Json] | str]) -> int:
    """The length of the longest value of a type that a path leads to."""
    return max((len(found) for found in at(whole, path.segments) if isinstance(found, kind)), default=0)


@dataclass(frozen=True, slots=True)
class Case:
    """One write: what is sent, what would be stored after trimming, what is stored; decoded, numbers as written."""

    sent: Json
    left: Json
    stored: Json
    on_status: bool

    def amount(self, limit: Limit, *, before: bool = False) -> int:
        """What a limit measures, of what would be stored or (``before``) of what is stored."""
        whole = self.stored if before else self.left
        match limit.measure:
            case Size(Of.STATUS):
                status = whole.get("status")
                return 0 if status is None else size(status)
            case Size():
                return size(self.whole(whole))
            case ItemsOf(path):
                return longest(whole, path, list)
            case Length(path):
                return longest(whole, path, str)
            case other:
                raise AssertionError(other)

    def whole(self, document: Json) -> Json:
        """The object as etcd has it: on a status write the stored one with another status."""
        if not self.on_status or self.stored is None:
            return document
        rest = {name: value for name, value in self.stored.items() if name != "status"}
        return rest | ({"status": document["status"]} if "status" in document else {})

    def spared(self, limit: Limit) -> bool:
        """True when the write may not be rejected."""
        for document in (self.sent, self.stored or {}):
            metadata = document.get("metadata")
            if isinstance(metadata, dict) and metadata.get("deletionTimestamp") is not None:
                return True
        if self.stored is None:
            return False
        stored = self.stored.get("status", "absent")
        if stored in (self.sent.get("status", "absent"), self.left.get("status", "absent")):
            return True
        return self.amount(limit) <= self.amount(limit, before=True)

    def above(self, policy: Policy) -> list[Limit]:
        """The limits of a policy that something is above."""
        return [limit for limit in policy.limits if self.amount(limit) > limit.most]

    def rejects(self, policy: Policy) -> bool:
        """True when a limit of the policy rejects the write."""
        return any(limit.action is Action.REJECT and not self.spared(limit) for limit in self.above(policy))


def case_of(policies: Sequence[Policy], attributes: Attributes) -> tuple[Case, Decision]:
    """The write after the enforced policies' trim, and the decision that they would take without limits."""
    free = judge([replace(policy, limits=()) for policy in policies], attributes)
    stored = None if attributes.stored is None else exact(attributes.stored)
    return Case(exact(attributes.submitted), patched(attributes, free), stored, attributes.on_status), free


def misjudged(policies: Sequence[Policy], attributes: Attributes, decision: Decision) -> Iterator[str]:
    """Everything that is wrong with what a decision of the mutating phase makes of limits.

    Policies with ``when`` may look at a write or not: nothing is said about them.
    """
    yield from _of_the_words(decision)
    enforced = [policy for policy in policies if policy.mode is Mode.ENFORCE]
    case, free = case_of(enforced, attributes)
    if free.violations:
        return
    due = [policy for policy in enforced if case.rejects(policy)]
    certain, rejected = [policy for policy in due if not policy.match.when], decision.outcome is Outcome.REJECTED
    if certain and not rejected:
        yield f"limits: {certain[0].name} has to reject, and it is {decision.outcome}"
    if rejected and not due:
        yield f"limits: rejected for no reason: {decision.message}"
    if rejected and (decision.patch or not any(f"policy {policy.name}: " in decision.message for policy in due)):
        yield f"limits: a rejection with a patch, or for another reason: {decision.message}"
    if not rejected and decision.patch != free.patch:
        yield "limits: a write that is not rejected gets another patch than without limits"
    if not any(policy.match.when or policy.mode is Mode.WARN for policy in policies):
        things = sum(len({limit.measure for limit in case.above(policy)}) for policy in enforced)
        if len(decision.warnings) != min(things, 8):
            yield f"limits: {things} things are above, {len(decision.warnings)} warnings"
    if not rejected and not decision.violations:
        yield from _of_those_who_observe(policies, attributes, decision, case)


def _of_the_words(decision: Decision) -> Iterator[str]:
    if any(len(text) > 256 or not text.isprintable() for text in decision.warnings) or len(decision.warnings) > 8:
        yield f"limits: warnings of another form: {decision.warnings}"
    if not decision.message.isprintable() or len(decision.message) > 1_000:
        yield f"limits: a message of another form: {decision.message!r}"
    if bool(decision.message) != (decision.outcome in (Outcome.REJECTED, WOULD[Outcome.REJECTED])):
        yield f"limits: {decision.outcome} with the message {decision.message!r}"


def _of_those_who_observe(
    policies: Sequence[Policy], attributes: Attributes, decision: Decision, case: Case
) -> Iterator[str]:
    passes = bent(attributes, submitted=raw(as_go_writes(case.left).encode()))
    outcomes = {report.name: report.outcome for report in decision.policies}
    for policy in policies:
        if policy.mode in (Mode.WARN, Mode.DRY_RUN) and not policy.match.when:
            alone, free = case_of([replace(policy, mode=Mode.ENFORCE)], passes)
            would = outcomes[policy.name] is Outcome.WOULD_REJECT
            if not free.violations and would is not alone.rejects(policy):
                yield f"limits: {policy.name} observes and is {outcomes[policy.name]}, which is wrong"


def phases_agree(policies: Sequence[Policy], attributes: Attributes, decision: Decision) -> Iterator[str]:
    """What is wrong with the validating phase of a write that nobody else changed after the mutating one.

    ``attributes`` are those of the validating phase. What has passed passes again. What is sent there although it was
    rejected (as if another webhook had made it so) is judged without any trim.
    """
    validated = validate(PolicySet.of(policies), attributes, NOW)
    yield from _of_the_words(validated)
    enforced = [policy for policy in policies if policy.mode is Mode.ENFORCE]
    whole = exact(attributes.submitted)
    case = Case(whole, whole, None if attributes.stored is None else exact(attributes.stored), attributes.on_status)
    due = [policy for policy in enforced if case.rejects(policy)]
    if validated.patch:
        yield "limits: the validating phase patches"
    if validated.outcome is Outcome.REJECTED and decision.outcome is not Outcome.REJECTED:
        yield f"limits: the validating phase rejects what has passed: {validated.message}"
    if validated.outcome is Outcome.REJECTED and not due:
        yield f"limits: the validating phase rejects for no reason: {validated.message}"
    certain = [policy for policy in due if not policy.match.when]
    if attributes.stored is not None and not attributes.on_status:
        return  # what the root was when it was sent decides, and nobody tells that here
    if certain and validated.outcome is not Outcome.REJECTED and not decision.violations:
        yield f"limits: {certain[0].name} has to reject in the validating phase"


def left_to_validate(attributes: Attributes, decision: Decision) -> Attributes:
    """The write as the validating phase sees it when nobody else changed it."""
    result = patched(attributes, decision)
    return bent(attributes, submitted=raw(as_go_writes(result).encode()))
