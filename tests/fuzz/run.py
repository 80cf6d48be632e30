"""One random review after the other through the handler, bytes in and bytes out, judged by the oracle.

Every review has a number of its own from which it is made anew, so that a failure is repeated by its seed and number
alone. A failure is made small before it is told: members and items are left out as long as it still fails.
"""

from __future__ import annotations

import base64
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET, Raw, UnsetType
from msgspec.structs import replace as bent

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision, Op, Outcome, Reason
from admission.engine.evaluate import evaluate
from admission.engine.policy import Policy, PolicySet
from admission.handler import Answer, Handler
from tests.engine import strategies
from tests.engine.build import GROUP, NOW, Json, go, judge, patched, plain, raw
from tests.engine.oracle import left_to_validate, phases_agree, problems
from tests.engine.strategies import Seeded


class _Op(msgspec.Struct, forbid_unknown_fields=True):
    op: str
    path: str
    value: Raw | UnsetType = UNSET


_PATCH = msgspec.json.Decoder(list[_Op])

Oracle: TypeAlias = Callable[[Sequence[Policy], Attributes, Decision], Sequence[str]]
"""Judges a decision: everything that is wrong with it."""

UID = "705ab4f5-6393-11e8-b7cc-42010a800002"
STRIDE = 1_000_003  # a prime, so that neighbouring seeds share no reviews


@dataclass(frozen=True, slots=True)
class Review:
    """One random review and the policies that it meets; ``damage`` cuts or bends its bytes."""

    policies: tuple[Policy, ...]
    attributes: Attributes
    damage: str = ""

    @property
    def body(self) -> bytes:
        """What the API server would send."""
        whole = _envelope(self.attributes)
        if not self.damage:
            return whole
        chance = random.Random(self.damage)
        at = chance.randrange(len(whole))
        return whole[:at] if chance.random() < 0.5 else whole[:at] + bytes([chance.randrange(256)]) + whole[at + 1 :]


@dataclass(slots=True)
class Summary:
    """What a run found."""

    reviews: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)

    def __str__(self) -> str:
        shares = ", ".join(f"{count} {name}" for name, count in self.outcomes.most_common())
        return f"{self.reviews} reviews ({shares}): {len(self.failures)} failed"


@dataclass(frozen=True, slots=True)
class Failure:
    """A review that was answered wrongly, as small as it could be made."""

    seed: int
    number: int
    review: Review
    wrong: tuple[str, ...]

    def __str__(self) -> str:
        policies = "\n".join(map(repr, self.review.policies))
        lines = [
            f"repeat with: python -m tests.fuzz --seed {self.seed} --only {self.number}",
            *self.wrong,
            f"policies:\n{policies}",
            f"review:\n{self.review.body.decode(errors='backslashreplace')}",
        ]
        return "\n".join(lines)


def run(
    seed: int, numbers: Sequence[int], on_review: Callable[[], None] = lambda: None, oracle: Oracle = problems
) -> Summary:
    """Answer and judge the reviews of these numbers."""
    summary = Summary()
    for number in numbers:
        review = make(seed, number)
        summary.reviews += 1
        summary.outcomes[_outcome(review)] += 1
        found = wrong(review, oracle)
        if found:
            smallest = smaller(review, oracle)
            summary.failures.append(Failure(seed, number, smallest, tuple(wrong(smallest, oracle) or found)))
        on_review()
    return summary


def make(seed: int, number: int) -> Review:
    """The review of a number."""
    dice = Seeded(random.Random(seed * STRIDE + number))
    policies = strategies.some_policies(dice)
    attributes = strategies.a_write(dice, lambda one: plain(patched(one, judge(policies, one))))
    damage = f"{seed}:{number}" if strategies.happens(dice, 10) else ""
    return Review(policies, bent(attributes, uid=UID, compact=True), damage)


def _outcome(review: Review) -> str:
    answer = _answer(review)
    if review.damage:
        return f"damaged {answer.status}"
    return str(answer.decision.outcome) if answer.decision is not None else "undecided"


def _answer(review: Review) -> Answer:
    return Handler(PolicySet.of(review.policies), clock=lambda: NOW).mutate(review.body)


def _envelope(attributes: Attributes) -> bytes:
    """The body as Go writes it: the members of the review in its order, the objects' bytes untouched."""
    resource = {"group": GROUP, "version": attributes.version, "resource": attributes.resource}
    parts = {
        "uid": go(attributes.uid),
        "kind": go({"group": GROUP, "version": attributes.version, "kind": "Job"}),
        "resource": go(resource),
        "subResource": go(attributes.subresource),
        "name": go(attributes.name),
        "namespace": go(attributes.namespace),
        "operation": go(attributes.operation),
        "userInfo": go({"username": "someone"}),
        "object": bytes(attributes.submitted),
        "oldObject": bytes(attributes.stored or b"null"),
        "dryRun": b"false",
    }
    request = b",".join(b'"%s":%s' % (name.encode(), value) for name, value in parts.items())
    return b'{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{%s}}\n' % request


# --- judging ---------------------------------------------------------------------------------------------------------


def wrong(review: Review, oracle: Oracle = problems) -> list[str]:
    """Everything that is wrong with the answer to a review."""
    try:
        answer = _answer(review)
    except Exception as error:  # a handler that raises is what a run like this is for
        return [f"the handler raised {error!r}"]
    found = list(_of_the_form(review, answer))
    return found if review.damage or found else [*_of_the_decision(review, answer, oracle)]


def _of_the_form(review: Review, answer: Answer) -> Iterator[str]:
    if review.damage and answer.status == 400:
        return
    if answer.status != 200:
        yield f"status {answer.status}"
        return
    body = json.loads(answer.body)
    response = body.get("response", {})
    if (body.get("kind"), body.get("apiVersion")) != ("AdmissionReview", "admission.k8s.io/v1"):
        yield "the answer is no AdmissionReview"
    if response.get("uid") != UID and not review.damage:
        yield f"uid {response.get('uid')}"
    yield from _of_the_verdict(response, answer)
    if ("patch" in response) != (response.get("patchType") == "JSONPatch"):
        yield "a patch without its type, or the other way round"
    if answer.fault is not None and not review.damage:
        yield f"a fault: {answer.fault.error!r}"


def _of_the_verdict(response: Any, answer: Answer) -> Iterator[str]:
    rejected = answer.decision is not None and answer.decision.outcome is Outcome.REJECTED
    if response.get("allowed") is rejected:
        yield f"allowed is {response.get('allowed')}"
    status = response.get("status", {})
    if rejected and (status.get("code"), status.get("reason")) != (413, "RequestEntityTooLarge"):
        yield f"rejected with {status}"
    if rejected and "patch" in response:
        yield "a rejection with a patch"


def _of_the_decision(review: Review, answer: Answer, oracle: Oracle) -> Iterator[str]:
    decision = answer.decision
    if decision is None:
        yield "no decision"
        return
    policies = PolicySet.of(review.policies)
    if decision != evaluate(policies, review.attributes, NOW):
        yield "the handler decides otherwise than the engine"
    if _operations(answer) != decision.patch:
        yield "the answer carries another patch than the decision"
    yield from oracle(review.policies, review.attributes, decision)
    yield from (str(violation) for violation in decision.violations if violation.invariant != "I4")
    yield from phases_agree(review.policies, left_to_validate(review.attributes, decision), decision)
    if decision.outcome in (Outcome.SKIPPED, Outcome.REJECTED) or decision.violations or keeps_a_claim(decision):
        return
    result = raw(go(plain(patched(review.attributes, decision))))
    stored = bent(review.attributes, submitted=result, stored=result)
    for again in (
        bent(review.attributes, submitted=result),
        *([] if may_keep_a_claim(review.attributes) else [stored]),
    ):
        if evaluate(policies, again, NOW).patch:
            yield "I4: the result is changed again"


def keeps_a_claim(decision: Decision) -> bool:
    """True when something was left because of who owns it: the pruned ownership of an odd object may tell otherwise."""
    return any(step.reason is Reason.CO_OWNED for report in decision.policies for step in report.steps)


def may_keep_a_claim(attributes: Attributes) -> bool:
    """True when an applier may lose something, which only the object that was stored before tells."""
    return b'"Apply"' in bytes(attributes.stored or b"")


def _operations(answer: Answer) -> tuple[Op, ...]:
    """The patch on the wire."""
    patch = json.loads(answer.body)["response"].get("patch")
    if patch is None:
        return ()
    return tuple(
        Op(one.op, one.path, _bytes(one.value)) for one in _PATCH.decode(base64.b64decode(patch, validate=True))
    )


def _bytes(value: Raw | UnsetType) -> bytes | None:
    return None if isinstance(value, UnsetType) else bytes(value)


# --- making a failure small ------------------------------------------------------------------------------------------


def smaller(review: Review, oracle: Oracle = problems) -> Review:
    """The smallest review near this one that is still answered wrongly, in the same way."""
    shrunk, way = True, _way(wrong(review, oracle))
    while shrunk:
        shrunk = False
        for candidate in _candidates(review):
            if _way(wrong(candidate, oracle)) == way:
                review, shrunk = candidate, True
                break
    return review


def _way(found: Sequence[str]) -> str:
    return found[0].partition(":")[0] if found else ""


def _candidates(review: Review) -> Iterator[Review]:
    for position in range(len(review.policies) if len(review.policies) > 1 else 0):
        yield replace(review, policies=review.policies[:position] + review.policies[position + 1 :])
    for position, policy in enumerate(review.policies):
        for step in range(len(policy.trim)):
            fewer = replace(policy, trim=policy.trim[:step] + policy.trim[step + 1 :])
            yield replace(review, policies=(*review.policies[:position], fewer, *review.policies[position + 1 :]))
    if review.attributes.stored is not None:
        yield replace(review, attributes=bent(review.attributes, stored=None))
        for stored in _smaller_values(json.loads(bytes(review.attributes.stored))):
            yield replace(review, attributes=bent(review.attributes, stored=raw(go(stored))))
    for submitted in _smaller_values(json.loads(bytes(review.attributes.submitted))):
        yield replace(review, attributes=bent(review.attributes, submitted=raw(go(submitted))))


def _smaller_values(value: Json) -> Iterator[Json]:
    """The value with one member, item or half a text less, the biggest parts first."""
    match value:
        case dict():
            for name in value:
                if name not in ("metadata", "status"):
                    yield {other: inner for other, inner in value.items() if other != name}
            for name, inner in value.items():
                yield from ({**value, name: less} for less in _smaller_values(inner))
        case list():
            for position in range(len(value)):
                yield value[:position] + value[position + 1 :]
            for position, inner in enumerate(value):
                yield from ([*value[:position], less, *value[position + 1 :]] for less in _smaller_values(inner))
        case str() if len(value) > 1:
            yield value[: len(value) // 2]
            yield value[len(value) // 2 :]
