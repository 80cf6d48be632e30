"""What the reviews of a run reached: a branch that none of them takes shows as a line that is not there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from admission.engine.decision import Decision, Op, Outcome, PolicyReport, StepReport
from admission.engine.policy import Policy
from admission.engine.steps import (
    Budget,
    CapConditions,
    CapList,
    CapMap,
    Dedupe,
    Expire,
    FitSchema,
    RestoreTimes,
    Step,
    Truncate,
)
from admission.handler import Answer
from tests.engine.oracle.matching import left_out_by
from tests.fuzz.review import Review

_PER = 10_000


@dataclass(slots=True)
class Coverage:
    """Counts of reviews by what they reached, in groups."""

    reviews: int = 0
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    def note(self, review: Review, answer: Answer) -> None:
        """Count a review; each thing once."""
        self.reviews += 1
        self.counts.update(set(_reached(review, answer)))

    def add(self, other: Coverage) -> None:
        """Add what another run reached."""
        self.reviews += other.reviews
        self.counts += other.counts

    def reached(self, group: str) -> set[str]:
        """What was reached of a group."""
        return {name for known, name in self.counts if known == group}

    def __str__(self) -> str:
        """A table of reviews per 10,000, group by group."""
        lines = []
        for group in sorted({group for group, _ in self.counts}):
            found = sorted((name, count) for (known, name), count in self.counts.items() if known == group)
            lines += [group, *(f"  {name:<52} {_PER * count / self.reviews:>8.1f}" for name, count in found)]
        return "\n".join(lines)


def _reached(review: Review, answer: Answer) -> Iterator[tuple[str, str]]:
    if review.damage:
        yield "fault of a damaged review", answer.fault.cause.value if answer.fault is not None else "(none)"
    if answer.decision is None:
        return
    yield "outcome", str(answer.decision.outcome)
    yield "reason", answer.decision.reason.value or "(none)"
    if not review.damage:
        yield from _of_the_review(review)
        yield from _of_the_decision(review, answer.decision)


def _of_the_review(review: Review) -> Iterator[tuple[str, str]]:
    attributes, pair = review.pair.attributes, review.pair
    stored = "with" if attributes.stored is not None else "without"
    yield "review", f"{attributes.operation} of {attributes.endpoint}, {stored} oldObject"
    yield "review", "in Go's form" if attributes.compact else "not in Go's form"
    yield "review", "schema known" if pair.openapi is not None else "schema unknown"
    yield "review", "caller's dry run" if attributes.request_dry_run else "no dry run of the caller"
    for policy in pair.policies:
        yield "criterion that kept a policy away", left_out_by(policy, attributes) or "(none)"


def _of_the_decision(review: Review, decision: Decision) -> Iterator[tuple[str, str]]:
    policies = {policy.name: policy for policy in review.pair.policies}
    for op in decision.patch:
        yield "operation", f"{op.op} in /{op.path.split('/')[1]}"
        if decision.outcome is Outcome.TRIMMED and op.path.startswith("/metadata"):
            yield "managedFields", _what_it_does(op)
    for violation in decision.violations:
        yield "violation", f"{violation.invariant} by {violation.step}"
    for report in decision.policies:
        yield "outcome of a policy", f"{report.outcome} in {report.mode}"
        yield "reason of a policy", report.reason.value or "(none)"
        yield from _of_a_policy(policies[report.name], report)
    yield from _of_what_is_too_big(decision)


def _what_it_does(op: Op) -> str:
    """What becomes of managers when a write is trimmed."""
    if op.path.count("/") == len(("metadata", "managedFields")):
        return "an entry that was dropped comes back"
    return "an entry goes" if op.op == "remove" else "an entry owns something else"


def _of_a_policy(policy: Policy, report: PolicyReport) -> Iterator[tuple[str, str]]:
    inside = [step for step in report.steps if "." in step.step]
    steps = [step for step in report.steps if step not in inside]
    for step in (*inside, *steps[len(policy.trim) :]):
        yield "step", f"{step.step} {_what_it_did(step)}"
    for rule, step in zip(policy.suppress, steps[len(policy.trim) :], strict=False):
        if step.items:
            yield "way in which a step acted", f"{step.step} {type(rule.tolerance).__name__}"
    for entry, step in zip(policy.trim, steps, strict=False):  # a policy that is left out reports no steps
        yield "step", f"{step.step} {_what_it_did(step)}"
        if step.reason:
            yield "reason of a step", f"{step.step} {step.reason}"
        if step.items:
            yield from (("way in which a step acted", f"{step.step} {way}") for way in _ways(entry.step))


def _what_it_did(step: StepReport) -> str:
    if step.items:
        return "acted"
    return {None: "did not run", True: "found nothing to do", False: "did not find its path"}[step.found]


def _ways(step: Step) -> Iterator[str]:
    match step:
        case CapConditions():
            yield f"keepTypes {'All' if step.keep_types is None else 'listed'}"
            yield f"typeField {step.type_field}"
        case CapList():
            yield f"order {step.order.kind}"
            yield from (f"with {name}" for name in ("keep_first", "keep_last", "keep_where") if getattr(step, name))
        case Expire():
            yield f"ties by {step.order.kind}"
            yield from (f"with {name}" for name in ("keep_newest", "keep_where") if getattr(step, name))
        case CapMap():
            yield f"order by {'key' if step.order.by is None else step.order.by.kind}"
            yield f"{'with' if step.evict_where else 'without'} evict_where"
        case Dedupe():
            yield f"scope {step.scope}, keep {step.keep}, position {step.position}"
            yield "keys" if step.ignoring is None else "ignoring"
        case Truncate():
            yield f"keep {step.keep}"
        case Budget():
            yield f"of {step.of}"
        case FitSchema():
            yield f"{'some paths' if step.paths else 'all'}"
        case RestoreTimes():
            yield f"unless {'All' if step.unless is None else 'listed'}"


def _of_what_is_too_big(decision: Decision) -> Iterator[tuple[str, str]]:
    for text in {*decision.warnings, decision.message}:
        said, is_above, _ = text.partition(" above the limit of ")
        if is_above:
            what = "items" if " item" in said else "characters" if " character" in said else "bytes of a root"
            yield "too big", "bytes of the object" if "the object takes" in said else what
