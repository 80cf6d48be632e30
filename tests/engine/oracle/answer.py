"""The whole answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

import jsonpatch
from msgspec import Raw
from msgspec.structs import replace as bent

from admission.engine.decision import Decision, Outcome, Reason
from admission.engine.policy import Mode, Policy
from admission.engine.steps import RestoreTimes
from admission.engine.undo import undo_of
from tests.engine.build import Json, exact, go, judge, patch_of, patched, raw
from tests.engine.oracle.budgets import exceeded
from tests.engine.oracle.claims import Claims, owned, value_at, who
from tests.engine.oracle.comparison import is_trim
from tests.engine.oracle.demands import broken_demands
from tests.engine.oracle.gotext import size
from tests.engine.oracle.holding import misheld
from tests.engine.oracle.limits import misjudged
from tests.engine.oracle.managers import AmbiguousError, pruned
from tests.engine.oracle.matching import looking, roots_of
from tests.engine.oracle.rights import Rights, acting
from tests.engine.pair import Pair


@dataclass(frozen=True, slots=True)
class Answered:
    """A pair, the decision, and the object before and after; decoded, numbers as written."""

    pair: Pair
    decision: Decision
    submitted: Json
    result: Json
    stored: Json
    policies: list[Policy]

    @property
    def enforced(self) -> list[Policy]:
        """The policies that may change the write."""
        return [policy for policy in self.policies if policy.mode is Mode.ENFORCE]

    @property
    def is_held(self) -> bool:
        """True when the write is held back as a heartbeat."""
        return self.decision.outcome is Outcome.SUPPRESSED and self.decision.reason is Reason.WITHIN_STALENESS


def problems(pair: Pair, decision: Decision) -> list[str]:
    """Everything that is wrong with an answer."""
    submitted = exact(pair.attributes.submitted)
    try:
        result = patched(pair.attributes, decision)
    except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException) as error:
        return [f"I2: the patch does not apply: {error}"]
    stored = exact(pair.attributes.stored or b"null")
    answered = Answered(pair, decision, submitted, result, stored, looking(pair))
    found = [
        *_of_the_patch(answered),
        *_of_the_result(answered),
        *_of_what_is_told(answered),
        *_of_managed_fields(answered),
        *_of_what_was_left_whole(answered),
        *_of_the_way_back(answered),
        *misheld(pair, decision),
        *exceeded(pair, decision, result),
    ]
    if not answered.is_held:
        found += _of_the_schema(answered)
    return found if has_twins(pair.attributes.submitted) else [*found, *misjudged(pair, decision)]


def _of_the_schema(answered: Answered) -> Iterator[str]:
    roots, stored = roots_of(answered.policies), answered.stored or {}
    wholes = [{root: whole.get(root) for root in roots} for whole in (answered.submitted, answered.result, stored)]
    yield from broken_demands(answered.pair.openapi, *wholes)


def has_twins(data: Raw) -> bool:
    """True when an object has a member twice: how many bytes that takes is nobody's business."""
    twins: list[str] = []

    def note(members: list[tuple[str, Json]]) -> None:
        twins.extend(["twice"] if len(members) > len(dict(members)) else [])

    json.loads(bytes(data), object_pairs_hook=note)
    return bool(twins)


def _of_the_patch(answered: Answered) -> Iterator[str]:
    decision, roots = answered.decision, roots_of(answered.enforced)
    below = tuple(f"/{root}/" for root in roots)
    wholes = [f"/{root}" for root in roots if answered.is_held or isinstance(answered.submitted.get(root), list)]
    for op in decision.patch:
        whole = op.op == "replace" and op.path in wholes
        if not whole and not op.path.startswith((*below, "/metadata/managedFields")):
            yield f"I1: {op.path}"
        if whole and op.value == b"null":
            yield f"I2: {op}"
        if op.op not in ("add", "replace", "remove") or (op.value is None) != (op.op == "remove"):
            yield f"I2: {op}"
    if decision.patch and decision.outcome not in (Outcome.TRIMMED, Outcome.SUPPRESSED):
        yield f"a patch with the outcome {decision.outcome}"
    if not decision.patch and decision.outcome in (Outcome.TRIMMED, Outcome.SUPPRESSED):
        yield f"{decision.outcome} without a patch"


def _of_the_result(answered: Answered) -> Iterator[str]:
    submitted, result, enforced = answered.submitted, answered.result, answered.enforced
    if _outside(submitted, enforced) != _outside(result, enforced):
        yield "I1: something outside the roots changed"
    if answered.is_held:
        return  # it is what is stored
    entries = submitted.get("metadata", {}).get("managedFields") or []
    readable = isinstance(entries, list) and all(map(_is_an_entry, entries))
    rights = Rights(enforced, entries if readable else [], submitted, answered.stored, answered.pair.openapi)
    for root in roots_of(enforced):
        if (root in submitted) is not (root in result):
            yield f"I1: /{root} came or went"
        if not is_trim(submitted.get(root), result.get(root), (root,), rights):
            yield f"I6/I7/I11: /{root} is no licensed trim of what was sent"
        before, after = size(submitted.get(root)), size(result.get(root))
        if after > before and not any(isinstance(e.step, RestoreTimes) for p in enforced for e in acting(p)):
            yield f"I5: {before} bytes of {root} became {after}"


def _is_an_entry(one: Json) -> bool:
    texts = ("manager", "operation", "apiVersion", "subresource", "time")
    return isinstance(one, dict) and all(isinstance(one.get(name, ""), str) for name in texts)


def _of_what_is_told(answered: Answered) -> Iterator[str]:
    decision, stored, roots = answered.decision, answered.stored or {}, roots_of(answered.policies)
    if not has_twins(answered.pair.attributes.submitted):
        before = sum(_size(answered.submitted.get(root)) for root in roots)
        after = sum(_size(answered.result.get(root)) for root in roots)
        if decision.bytes_before != before:
            yield f"bytes before: {decision.bytes_before}, measured {before}"
        told = (Outcome.TRIMMED, Outcome.SUPPRESSED, Outcome.UNCHANGED)
        if decision.outcome in told and decision.bytes_after != after:
            yield f"bytes after: {decision.bytes_after}, measured {after}"
    if decision.outcome is Outcome.SUPPRESSED:
        if any(answered.result.get(root, "absent") != stored.get(root, "absent") for root in roots):
            yield "suppressed, but a root is not the stored one"
        if answered.result["metadata"].get("managedFields") != stored.get("metadata", {}).get("managedFields"):
            yield "suppressed, but managedFields are not the stored ones"


def _size(root: Json) -> int:
    return 0 if root is None else size(root)


def _outside(whole: Json, policies: list[Policy]) -> Json:
    """An object without the roots and managedFields."""
    metadata = {name: value for name, value in whole.get("metadata", {}).items() if name != "managedFields"}
    roots = roots_of(policies)
    return {name: value for name, value in whole.items() if name not in roots} | {"metadata": metadata}


def _of_managed_fields(answered: Answered) -> Iterator[str]:
    if answered.decision.outcome is Outcome.SUPPRESSED:
        return
    sent = answered.submitted["metadata"].get("managedFields")
    got = answered.result["metadata"].get("managedFields")
    if sent == got and (not sent or not _are_entries(sent)):
        return
    if not _are_entries(sent) or not _are_entries(got):
        yield "managedFields were made up"
        return
    with suppress(AmbiguousError):
        yield from _of_the_entries(answered, sent, got)


def _are_entries(managed: Json) -> bool:
    return isinstance(managed, list) and all(map(_is_an_entry, managed))


def _of_the_entries(answered: Answered, sent: list[Json], got: list[Json]) -> Iterator[str]:
    claims = _claims(answered, sent)
    left = {who(one): one for one in got}
    back = claims.coming_back()
    if len(left) == len(got) and left.keys() - back.keys() - {who(one) for one in sent}:
        yield "an entry of managedFields was made up"
    for one in sent:
        wanted = pruned(
            one.get("fieldsV1"), answered.submitted, answered.result | {"metadata": answered.submitted["metadata"]}
        )
        other = left.get(who(one))
        if other is not None and {**one, "fieldsV1": None} != {**other, "fieldsV1": None}:
            yield "more than fieldsV1 changed in managedFields"
        owns = claims.after(one, wanted)
        if owned((other or {}).get("fieldsV1")) != owns or (other is None and owned(wanted) == owns):
            yield f"managedFields: {other} where {sorted(owns)} is right"
    stored = {who(one): one for one in claims.kept}
    for name, ways in back.items():
        other = left.get(name, {})
        if owned(other.get("fieldsV1")) != ways or {**other, "fieldsV1": None} != {**stored[name], "fieldsV1": None}:
            yield f"managedFields: {other} where {stored[name]} with {sorted(ways)} should be back"


def _of_what_was_left_whole(answered: Answered) -> Iterator[str]:
    """Nothing is left whole for an applier who could have it back: without managers it would be trimmed."""
    decision, attributes = answered.decision, answered.pair.attributes
    reasons = [step.reason for report in decision.policies for step in report.steps]
    sent = answered.submitted["metadata"].get("managedFields")
    if Reason.CO_OWNED not in reasons or decision.violations or not _are_entries(sent):
        return
    alone = bent(attributes, submitted=_nobodys(attributes.submitted), stored=_nobodys(attributes.stored or raw("{}")))
    trimming = answered.pair.under([replace(policy, suppress=()) for policy in answered.pair.policies])
    trimmed = patched(alone, judge(trimming.policy_set, alone))
    claims = _claims(answered, sent)
    with suppress(AmbiguousError):
        for way in replace(claims, result=trimmed).must_go_back():
            if value_at(answered.result, way) == value_at(answered.submitted, way) and not claims.is_shared(way):
                yield f"I11: {way} was left whole, and could have been given back"


def _nobodys(whole: Raw) -> Raw:
    """An object without managers."""
    members = json.loads(bytes(whole))
    members.get("metadata", {}).pop("managedFields", None)
    return raw(go(members))


def _claims(answered: Answered, sent: list[Json]) -> Claims:
    kept = ((answered.stored or {}).get("metadata") or {}).get("managedFields") or []
    stored = answered.stored if isinstance(answered.stored, dict) else {}
    writer = answered.pair.attributes.field_manager
    kept = kept if _are_entries(kept) else []
    return Claims(sent, kept, answered.submitted, stored, answered.result, writer)


def _of_the_way_back(answered: Answered) -> Iterator[str]:
    """What the archive would keep of the answer has to lead back to what was sent."""
    back = undo_of(answered.pair.attributes.submitted, answered.decision.patch)
    rebuilt = jsonpatch.apply_patch(answered.result, patch_of(back))
    if _outside(rebuilt, []) != _outside(answered.submitted, []):
        yield "undo: what was sent cannot be had again"
