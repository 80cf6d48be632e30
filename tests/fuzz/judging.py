"""Everything that is wrong with the answers to a review, bytes in and bytes out."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET, Raw, UnsetType
from msgspec.structs import replace as bent

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision, Op, Outcome, Reason
from admission.engine.evaluate import evaluate
from admission.handler import Answer, Handler, Phase, Shed
from tests.engine.build import NOW, go, judge, patched, raw
from tests.engine.oracle import as_go_writes, left_to_validate, phases_agree, problems
from tests.engine.pair import Pair
from tests.fuzz.review import UID, Review, envelope

Oracle: TypeAlias = Callable[[Pair, Decision], Sequence[str]]
"""Judges a decision: everything that is wrong with it."""


class _Op(msgspec.Struct, forbid_unknown_fields=True):
    op: str
    path: str
    value: Raw | UnsetType = UNSET


_PATCH = msgspec.json.Decoder(list[_Op])
_LONGEST_WARNING, _MOST_WARNINGS, _LONGEST_KEY = 256, 8, 63


def answer_to(review: Review, phase: Phase = Phase.MUTATING) -> Answer:
    """What the handler says."""
    return Handler(review.pair.policy_set, clock=lambda: NOW).answer(review.body, phase)


def wrong(review: Review, oracle: Oracle = problems) -> list[str]:
    """Everything that is wrong with the answers to a review."""
    try:
        return wrong_with(review, answer_to(review), oracle)
    except Exception as error:  # a handler that raises is what a run like this is for
        return [f"something raised {error!r}"]


def wrong_with(review: Review, answer: Answer, oracle: Oracle = problems) -> list[str]:
    """Everything that is wrong with an answer, and with what the handler says elsewhere to the same review."""
    found = list(_of_the_form(review, answer))
    if review.damage or review.pair.attributes.request_dry_run:
        found += _of_other_answers(review)
    return found if review.damage or found else [*_of_the_decision(review, answer, oracle)]


# --- the form --------------------------------------------------------------------------------------------------------


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
    yield from _of_the_words(response)
    if answer.fault is not None and not review.damage:
        yield f"a fault: {answer.fault.error!r}"


def _of_the_verdict(response: Any, answer: Answer) -> Iterator[str]:
    rejected = answer.decision is not None and answer.decision.outcome is Outcome.REJECTED
    if response.get("allowed") is rejected:
        yield f"allowed is {response.get('allowed')}"
    status = response.get("status", {})
    if rejected and (status.get("code"), status.get("reason")) != (413, "RequestEntityTooLarge"):
        yield f"rejected with {status}"
    if "patch" in response and (rejected or answer.fault is not None or answer.phase is Phase.VALIDATING):
        yield "a rejection, a fault or the validating phase with a patch"
    if ("patch" in response) != (response.get("patchType") == "JSONPatch"):
        yield "a patch without its type, or the other way round"


def _of_the_words(response: Any) -> Iterator[str]:
    warnings = response.get("warnings", [])
    if len(warnings) > _MOST_WARNINGS or any(len(one) > _LONGEST_WARNING or not one.isprintable() for one in warnings):
        yield f"warnings {warnings}"
    notes = response.get("auditAnnotations", {})
    if any(len(key) > _LONGEST_KEY or "/" in key or not isinstance(value, str) for key, value in notes.items()):
        yield f"audit annotations {notes}"


def _of_other_answers(review: Review) -> Iterator[str]:
    """The validating phase of the same bytes, and a shed review: of the right form, whatever was sent."""
    for phase in Phase:
        answer = Handler(review.pair.policy_set, clock=lambda: NOW).shed(review.body, Shed.DEADLINE, phase)
        yield from (f"shed: {one}" for one in _of_the_form(review, answer))
    yield from (f"validating: {one}" for one in _of_the_form(review, answer_to(review, Phase.VALIDATING)))


# --- the decision ----------------------------------------------------------------------------------------------------


def _of_the_decision(review: Review, answer: Answer, oracle: Oracle) -> Iterator[str]:
    decision, pair = answer.decision, review.pair
    if decision is None:
        yield "no decision"
        return
    turned = bent(pair.attributes, request_dry_run=not pair.attributes.request_dry_run)
    if decision != evaluate(pair.under(pair.policies[::-1]).policy_set, turned, NOW):
        yield "another decision by the engine, with the caller's flag turned and the policies in another order"
    if _operations(answer) != decision.patch:
        yield "the answer carries another patch than the decision"
    yield from oracle(pair, decision)
    yield from (str(violation) for violation in decision.violations if violation.invariant != "I4")
    if any(policy.limits for policy in pair.policies):
        yield from _of_the_validating_phase(pair, decision)
    yield from _of_the_result_as_a_write(pair, decision)


def _of_the_validating_phase(pair: Pair, decision: Decision) -> Iterator[str]:
    later = left_to_validate(pair, decision)
    if not _owners_disagree(pair):
        yield from phases_agree(later, decision)
    answer = Handler(pair.policy_set, clock=lambda: NOW).validate(envelope(later.attributes))
    yield from (f"validating: {one}" for one in _of_the_form(Review(later), answer))


def _owners_disagree(pair: Pair) -> bool:
    """True when the stored object is trimmed to something else with the ownership that was sent with the write.

    The validating phase tells by what trimming makes of the stored root whether a write to the main resource left it
    as it was. On a real object the keys of a list are its keys whoever owns it, and the two agree.
    """
    stored = pair.attributes.stored
    if stored is None or pair.attributes.on_status:
        return False
    alone, sent = json.loads(bytes(stored)), json.loads(bytes(pair.attributes.submitted))
    alike = {**alone, "metadata": sent.get("metadata") or {}}
    both = [judge(pair.policy_set, bent(pair.attributes, submitted=raw(go(one)))) for one in (alone, alike)]
    return both[0].bytes_after != both[1].bytes_after


def _of_the_result_as_a_write(pair: Pair, decision: Decision) -> Iterator[str]:
    if not decision.patch or decision.violations or keeps_a_claim(decision):
        return
    result = raw(as_go_writes(patched(pair.attributes, decision)).encode())
    again = {
        "I4: the result is changed again": bent(pair.attributes, submitted=result),
        "I4: the result is changed again once it is stored": once_stored(pair.attributes, result),
    }
    changed = [told for told, write in again.items() if write is not None and judge(pair.policy_set, write).patch]
    if changed and not _was_told_by_owners(pair, result):
        yield from changed


def keeps_a_claim(decision: Decision) -> bool:
    """True when something was left because of who owns it: the pruned ownership of an odd object may tell otherwise."""
    return any(step.reason is Reason.CO_OWNED for report in decision.policies for step in report.steps)


def _was_told_by_owners(pair: Pair, result: Raw) -> bool:
    """True when nothing changes as long as the ownership says what it said before it was pruned.

    In an odd object the last of the elements that name items may go, and what named them may then be dropped.
    """
    whole, sent = json.loads(bytes(result)), json.loads(bytes(pair.attributes.submitted))
    whole["metadata"]["managedFields"] = sent["metadata"].get("managedFields")
    again = judge(pair.policy_set, bent(pair.attributes, submitted=raw(go(whole))))
    return not any(op.path.startswith(f"/{policy.root}") for op in again.patch for policy in pair.policies)


def once_stored(attributes: Attributes, result: Raw) -> Attributes | None:
    """The same write of a result over itself; None where what was stored before tells something that it does not.

    An applier may lose something, and other labels may bring other policies.
    """
    later = bent(attributes, submitted=result, stored=result)
    may_lose = b"Apply" in bytes(attributes.stored or b"") or not attributes.compact
    return None if may_lose or _labels(later) != _labels(attributes) else later


def _labels(attributes: Attributes) -> Any:
    return json.loads(bytes(attributes.stored or attributes.submitted))["metadata"].get("labels")


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
