"""What a shipped policy saves on the shape that it is for: its controller's reconciliations, with it and without.

Each turn reads what is stored, grows it as the controller does, and stores the answer; a write that changes nothing
costs nothing. The clock is simulated, so that ages are those of a real controller.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from admission.engine.instant import parse_time
from admission.engine.policy import Mode, Policy
from admission.quantity import as_quantity
from tests.e2e.presets import BROKERS, QUEUE, TURNS, Preset, polled
from tests.engine.build import go, judge, patched, plain, write

Json = dict[str, Any]

PERIODS: Final = {"keda-scaledobject-heartbeat": 30, "longhorn-sizes": 5}
"""Seconds between two writes, where the policy asks for an age."""
A_MINUTE: Final = 60
START: Final = datetime(2026, 1, 1, tzinfo=UTC)


def saving_of(preset: Preset, policy: Policy) -> str:
    """What the policy saves, in a line for its annotation."""
    (writes, written, left), (before, without, grown) = reconciled(preset, policy), reconciled(preset, None)
    if writes < before:
        count = f"{writes} write{'s' * (writes > 1)} instead of {before}"
        what = f"{count}, {as_quantity(written)} instead of {as_quantity(without)}"
    else:
        what = f"{as_quantity(written)} written instead of {as_quantity(without)}"
    size = "" if left * 2 > grown else f"; the object ends at {as_quantity(left)} instead of {as_quantity(grown)}"
    return f"{TURNS} reconciliations: {what}{size}"


def reconciled(preset: Preset, policy: Policy | None) -> tuple[int, int, int]:
    """How many writes so many reconciliations cost, the bytes that they stored, and the size of the object then."""
    period, writes, written = PERIODS.get(preset.name, A_MINUTE), 0, 0
    stored = preset.made("one")
    for turn in range(TURNS):
        now = START + timedelta(seconds=turn * period)
        sent = owned({**stored, "status": grow_at(preset, now)(stored.get("status", {}), turn)}, now)
        result = sent if policy is None else answered(preset, policy, sent, stored, now)
        if {**result, "metadata": None} != {**stored, "metadata": None}:
            stored, writes, written = result, writes + 1, written + len(go(result))
    return writes, written, len(go(stored))


def grow_at(preset: Preset, now: datetime) -> Callable[[Json, int], Json]:
    if preset is QUEUE:
        return polled(lambda: now)
    return of_one_generation if preset is BROKERS else preset.grow


def of_one_generation(status: Json, turn: int) -> Json:
    """Reconcile a spec that nobody changed."""
    return {**BROKERS.grow(status, turn), "observedGeneration": 1}


def owned(live: Json, now: datetime) -> Json:
    """The object with the entry of its controller, as the API server notes it."""
    entry = {
        "manager": "controller",
        "operation": "Update",
        "apiVersion": live["apiVersion"],
        "subresource": "status",
        "time": f"{now:%Y-%m-%dT%H:%M:%SZ}",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:status": {f"f:{name}": {} for name in live["status"]}},
    }
    return {**live, "metadata": {**live["metadata"], "managedFields": [entry]}}


def answered(preset: Preset, policy: Policy, sent: Json, stored: Json, now: datetime) -> Json:
    resource = preset.resource
    attributes = write(
        sent,
        stored,
        group=resource.group,
        version=resource.version,
        resource=resource.plural,
        subresource=preset.subresource,
    )
    moment = parse_time(f"{now:%Y-%m-%dT%H:%M:%SZ}")
    assert moment is not None
    result: Json = plain(patched(attributes, judge(replace(policy, mode=Mode.ENFORCE), attributes, moment)))
    return result
