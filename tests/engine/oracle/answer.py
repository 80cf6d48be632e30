"""The whole answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import jsonpatch

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision, Outcome
from admission.engine.policy import Mode, Policy
from admission.engine.steps import RestoreTimes
from tests.engine.build import Json, exact, patch_of
from tests.engine.oracle.comparison import is_trim
from tests.engine.oracle.gotext import size
from tests.engine.oracle.limits import misjudged
from tests.engine.oracle.managers import AmbiguousError, pruned
from tests.engine.oracle.rights import Rights


def of_the_trim(policies: Sequence[Policy], attributes: Attributes, decision: Decision) -> list[str]:
    """Everything that is wrong with an answer but for limits."""
    found = list(_of_the_patch(decision))
    submitted = exact(attributes.submitted)
    try:
        result = jsonpatch.apply_patch(submitted, patch_of(decision.patch))
    except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException) as error:
        return [*found, f"I2: the patch does not apply: {error}"]
    found += _of_the_result(policies, attributes, decision, submitted, result)
    found += _of_managed_fields(attributes, decision, submitted, result)
    return found


def _of_the_patch(decision: Decision) -> Iterator[str]:
    for op in decision.patch:
        if not op.path.startswith(("/status/", "/metadata/managedFields")):
            yield f"I1: {op.path}"
        if op.op not in ("add", "replace", "remove") or (op.value is None) != (op.op == "remove"):
            yield f"I2: {op}"
    if decision.patch and decision.outcome not in (Outcome.TRIMMED, Outcome.SUPPRESSED):
        yield f"a patch with the outcome {decision.outcome}"
    if not decision.patch and decision.outcome in (Outcome.TRIMMED, Outcome.SUPPRESSED):
        yield f"{decision.outcome} without a patch"


def _of_the_result(
    policies: Sequence[Policy], attributes: Attributes, decision: Decision, submitted: Json, result: Json
) -> Iterator[str]:
    enforced = [policy for policy in policies if policy.mode is Mode.ENFORCE]
    entries = submitted.get("metadata", {}).get("managedFields") or []
    readable = all(isinstance(one, dict) and isinstance(one.get("fieldsV1", {}), dict | None) for one in entries)
    rights = Rights(enforced, entries if readable else [], submitted, exact(attributes.stored or b"null"))
    before, after = submitted.get("status"), result.get("status")
    if not is_trim(before, after, ("status",), rights):
        yield "I6/I7/I11: the result is no licensed trim of what was sent"
    if size(after) > size(before) and not any(isinstance(e.step, RestoreTimes) for p in enforced for e in p.trim):
        yield f"I5: {size(before)} bytes became {size(after)}"
    if decision.bytes_before != size(before):
        yield f"bytes before: {decision.bytes_before}, measured {size(before)}"
    if decision.outcome in (Outcome.TRIMMED, Outcome.SUPPRESSED, Outcome.UNCHANGED) and decision.bytes_after != size(
        after
    ):
        yield f"bytes after: {decision.bytes_after}, measured {size(after)}"
    if _outside(submitted) != _outside(result):
        yield "I1: something outside the status changed"
    if decision.outcome is Outcome.SUPPRESSED:
        stored = exact(attributes.stored or b"{}")
        if after != stored.get("status"):
            yield "suppressed, but the status is not the stored one"
        if result["metadata"].get("managedFields") != stored["metadata"].get("managedFields"):
            yield "suppressed, but managedFields are not the stored ones"


def _outside(whole: Json) -> Json:
    """An object without its status and managedFields."""
    metadata = {name: value for name, value in whole.get("metadata", {}).items() if name != "managedFields"}
    return {name: value for name, value in whole.items() if name != "status"} | {"metadata": metadata}


def _of_managed_fields(attributes: Attributes, decision: Decision, submitted: Json, result: Json) -> Iterator[str]:
    if decision.outcome is Outcome.SUPPRESSED:
        return
    sent = submitted["metadata"].get("managedFields")
    got = result["metadata"].get("managedFields")
    if not sent:
        if sent != got:
            yield "managedFields were made up"
        return
    for one, left in zip(sent, got, strict=True):
        if {**one, "fieldsV1": None} != {**left, "fieldsV1": None}:
            yield "more than fieldsV1 changed in managedFields"
        try:
            wanted = pruned(one.get("fieldsV1"), submitted, result | {"metadata": submitted["metadata"]})
        except AmbiguousError:
            continue
        if (wanted or {}) != (left.get("fieldsV1") or {}):
            yield f"managedFields: {left.get('fieldsV1')} where {wanted} is right"


def problems(policies: Sequence[Policy], attributes: Attributes, decision: Decision) -> list[str]:
    """Everything that is wrong with an answer."""
    return [*of_the_trim(policies, attributes, decision), *misjudged(policies, attributes, decision)]
