"""Decisions as JSON, in the words of the decision log, with what a log never holds: the patch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Raw

from admission.engine.decision import PolicyReport
from admission.engine.values import text_of
from admission.offline.gojson import encode
from admission.offline.rehearsal import Rehearsal


def report(rehearsals: Sequence[Rehearsal]) -> str:
    """One JSON object: ``objects`` with a decision each, and ``totals``; sizes in bytes as stored."""
    told = {"objects": [_object(each) for each in rehearsals], "totals": _totals(rehearsals)}
    return msgspec.json.format(msgspec.json.encode(told), indent=2).decode()


def _object(rehearsal: Rehearsal) -> dict[str, Any]:
    decision, request = rehearsal.decision, rehearsal.write.request
    told: dict[str, Any] = {
        "source": rehearsal.write.source,
        "resource": rehearsal.write.title.split(" ")[0],
        "namespace": text_of(request.get("namespace")) or "",
        "name": text_of(request.get("name")) or "",
        "outcome": decision.outcome,
        "reason": decision.reason,
        "policies": [_policy(each) for each in decision.policies],
        "bytesBefore": decision.bytes_before,
        "bytesAfter": decision.bytes_after,
        "objectBytes": decision.object_bytes,
        "patch": Raw(encode(rehearsal.patch)),
        "warnings": rehearsal.warnings,
    }
    if rehearsal.code is not None:
        told["status"] = {"code": rehearsal.code, "message": rehearsal.message}
    elif rehearsal.message:
        told["message"] = rehearsal.message  # of the rejection that would be
    if rehearsal.fault is not None or rehearsal.broken:
        told["fault"] = rehearsal.broken or f"{rehearsal.fault.cause}: {rehearsal.fault.error}"  # type: ignore[union-attr]
    if decision.violations:
        told["violations"] = decision.violations
    return told


def _policy(policy: PolicyReport) -> dict[str, Any]:
    return {
        "name": policy.name,
        "mode": policy.mode,
        "outcome": policy.outcome,
        "reason": policy.reason,
        "steps": policy.steps,
    }


def _totals(rehearsals: Sequence[Rehearsal]) -> dict[str, Any]:
    outcomes: dict[str, int] = {}
    for each in rehearsals:
        outcomes[each.decision.outcome] = outcomes.get(each.decision.outcome, 0) + 1
    return {
        "objects": len(rehearsals),
        "outcomes": outcomes,
        "bytesBefore": sum(each.decision.bytes_before for each in rehearsals),
        "bytesAfter": sum(each.decision.bytes_after for each in rehearsals),
    }
