"""Whether a rejection was due, said slowly: in plain Python over decoded JSON, without the engine's measures.

What trimming leaves is the engine's own (the oracle judges it elsewhere): the same policies without their limits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from msgspec.structs import replace as bent

from admission.engine.decision import WOULD, Decision, Outcome
from admission.engine.fieldpath import FieldPath
from admission.engine.limits import Action, Length, Limit, Size
from admission.engine.limits import Items as ItemsOf
from admission.engine.policy import Mode, Policy
from admission.engine.sides import Of
from admission.engine.validate import validate
from tests.engine.build import NOW, Json, exact, judge, patched, raw
from tests.engine.oracle.gotext import as_go_writes, size
from tests.engine.oracle.matching import looking, roots_of
from tests.engine.oracle.paths import values_at
from tests.engine.oracle.requirements import all_hold
from tests.engine.pair import Pair


def longest(whole: Json, path: FieldPath, kind: type[list[Json] | str]) -> int:
    """The length of the longest value of a type that a path leads to."""
    return max((len(found) for found in values_at(whole, path.segments) if isinstance(found, kind)), default=0)


@dataclass(frozen=True, slots=True)
class Case:
    """One write, decoded, numbers as written.

    What is sent, what trimming leaves of it, what would be stored (the same, unless it is held back), what is stored.
    """

    sent: Json
    trimmed: Json
    left: Json
    stored: Json
    on_status: bool
    roots: Sequence[str]

    def amount(self, limit: Limit, root: str, *, before: bool = False) -> int:
        """What a limit measures, of what would be stored or (``before``) of what is stored."""
        whole = self.stored if before else self.left
        match limit.measure:
            case Size(Of.STATUS):
                value = whole.get(root)
                return 0 if value is None else size(value)
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

    def spared(self, limit: Limit, root: str) -> bool:
        """True when the write may not be rejected."""
        for document in (self.sent, self.stored or {}):
            metadata = document.get("metadata")
            if isinstance(metadata, dict) and metadata.get("deletionTimestamp") is not None:
                return True
        if self.stored is None:
            return False
        stored = self.stored.get(root, "absent")
        if stored in (self.sent.get(root, "absent"), self.left.get(root, "absent")):
            return True
        return self.amount(limit, root) <= self.amount(limit, root, before=True)

    def above(self, policy: Policy) -> list[Limit]:
        """The limits of a policy that something is above; none when its ``when`` does not hold."""
        if not all_hold(policy.match.when, self.trimmed, self.stored, self.roots):
            return []
        return [limit for limit in policy.limits if self.amount(limit, policy.root) > limit.most]

    def rejects(self, policy: Policy) -> bool:
        """True when a limit of the policy rejects the write."""
        return any(
            limit.action is Action.REJECT and not self.spared(limit, policy.root) for limit in self.above(policy)
        )


def case_of(pair: Pair) -> tuple[Case, Decision]:
    """The write after the enforced policies' trim, and the decision that they would take without limits."""
    attributes = pair.attributes
    free = pair.under([replace(policy, limits=()) for policy in pair.policies])
    decision = judge(free.policy_set, attributes)
    trimming = pair.under([replace(policy, limits=(), suppress=()) for policy in pair.policies])
    stored = None if attributes.stored is None else exact(attributes.stored)
    roots = roots_of(looking(pair))
    trimmed, left = patched(attributes, judge(trimming.policy_set, attributes)), patched(attributes, decision)
    return Case(exact(attributes.submitted), trimmed, left, stored, attributes.on_status, roots), decision


def misjudged(pair: Pair, decision: Decision) -> Iterator[str]:
    """Everything that is wrong with what a decision of the mutating phase makes of limits."""
    yield from _of_the_words(decision)
    policies = looking(pair)
    if not any(policy.limits for policy in policies):
        return
    enforced = [policy for policy in policies if policy.mode is Mode.ENFORCE]
    case, free = case_of(pair)
    if free.violations:
        return
    due, rejected = [policy for policy in enforced if case.rejects(policy)], decision.outcome is Outcome.REJECTED
    if due and not rejected:
        yield f"limits: {due[0].name} has to reject, and it is {decision.outcome}"
    if rejected and not due:
        yield f"limits: rejected for no reason: {decision.message}"
    if rejected and (decision.patch or not any(f"policy {policy.name}: " in decision.message for policy in due)):
        yield f"limits: a rejection with a patch, or for another reason: {decision.message}"
    if not rejected and decision.patch != free.patch:
        yield "limits: a write that is not rejected gets another patch than without limits"
    if not any(policy.mode is Mode.WARN for policy in policies):
        things = sum(len({limit.measure for limit in case.above(policy)}) for policy in enforced)
        if len(decision.warnings) != min(things - rejected, 8):  # the message tells one
            yield f"limits: {things} things are above, {len(decision.warnings)} warnings and {rejected:d} rejections"
    if not rejected and not decision.violations:
        yield from _of_those_who_observe(pair, decision, case)


def _of_the_words(decision: Decision) -> Iterator[str]:
    if any(len(text) > 256 or not text.isprintable() for text in decision.warnings) or len(decision.warnings) > 8:
        yield f"limits: warnings of another form: {decision.warnings}"
    if not decision.message.isprintable() or len(decision.message) > 1_000:
        yield f"limits: a message of another form: {decision.message!r}"
    if bool(decision.message) != (decision.outcome in (Outcome.REJECTED, WOULD[Outcome.REJECTED])):
        yield f"limits: {decision.outcome} with the message {decision.message!r}"


def _of_those_who_observe(pair: Pair, decision: Decision, case: Case) -> Iterator[str]:
    passes = bent(pair.attributes, submitted=raw(as_go_writes(case.left).encode()))
    outcomes = {report.name: report.outcome for report in decision.policies}
    others = [replace(policy, trim=(), limits=()) for policy in pair.policies]
    for policy in looking(pair):
        if policy.mode in (Mode.WARN, Mode.DRY_RUN) and policy.limits:
            enforced = replace(policy, mode=Mode.ENFORCE)
            alone, free = case_of(
                pair.sending(passes).under([enforced, *(one for one in others if one.name != policy.name)])
            )
            would = outcomes[policy.name] is Outcome.WOULD_REJECT
            if not free.violations and would is not alone.rejects(policy):
                yield f"limits: {policy.name} observes and is {outcomes[policy.name]}, which is wrong"


def phases_agree(pair: Pair, decision: Decision) -> Iterator[str]:
    """What is wrong with the validating phase of a write that nobody else changed after the mutating one.

    The pair's attributes are those of the validating phase. What has passed passes again. What is sent there although
    it was rejected (as if another webhook had made it so) is judged without any trim.
    """
    attributes = pair.attributes
    validated = validate(pair.policy_set, attributes, NOW)
    yield from _of_the_words(validated)
    limiting = [policy for policy in looking(pair) if policy.limits]
    enforced = [policy for policy in limiting if policy.mode is Mode.ENFORCE]
    whole = exact(attributes.submitted)
    stored = None if attributes.stored is None else exact(attributes.stored)
    case = Case(whole, whole, whole, stored, attributes.on_status, roots_of(limiting))
    due = [policy for policy in enforced if case.rejects(policy)]
    if validated.patch:
        yield "limits: the validating phase patches"
    if validated.outcome is Outcome.REJECTED and decision.outcome is not Outcome.REJECTED:
        yield f"limits: the validating phase rejects what has passed: {validated.message}"
    if validated.outcome is Outcome.REJECTED and not due:
        yield f"limits: the validating phase rejects for no reason: {validated.message}"
    if stored is not None and (not attributes.on_status or _may_be_cut(pair)):
        return  # what the root was when it was sent decides, and nobody tells that here
    if due and validated.outcome is not Outcome.REJECTED and not decision.violations:
        yield f"limits: {due[0].name} has to reject in the validating phase"


def _may_be_cut(pair: Pair) -> bool:
    """True when a text may have got a marker since it was sent: fewer bytes, and perhaps more characters."""
    return any(policy.licence.cutting for policy in looking(pair) if policy.mode is Mode.ENFORCE)


def left_to_validate(pair: Pair, decision: Decision) -> Pair:
    """The write as the validating phase sees it when nobody else changed it."""
    result = patched(pair.attributes, decision)
    return pair.sending(bent(pair.attributes, submitted=raw(as_go_writes(result).encode())))
