"""The policies of the tests. Which one judges a write is told by its namespace, so one server serves all tests."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from tests.controlplane.objects import GADGETS, GROUP, NOSUBS, WIDGETS
from tests.e2e.objects import KEPT, LONGEST

Json = dict[str, Any]


class Scope(StrEnum):
    """What happens to a namespace, as the beginning of its name."""

    ENFORCED = "enforced"
    DRY_RUN = "dry-run"
    WARNED = "warned"
    UNTOUCHED = "untouched"
    OTHER = "other"  # for a product of a test's own


MODES = {Scope.ENFORCED: "Enforce", Scope.DRY_RUN: "DryRun", Scope.WARNED: "Warn"}

TRIM: tuple[Json, ...] = (
    {"capConditions": {"path": "status.conditions", "max": KEPT}},
    {"capList": {"path": "status.conditionsMap", "max": KEPT, "order": {"by": "lastTransitionTime", "as": "Time"}}},
    {"capList": {"path": "status.history", "max": KEPT, "order": "NewestLast"}},
    {"expire": {"path": "status.attempts", "olderThan": "1h", "timeFields": ["time"], "keepNewest": KEPT}},
    {"capMap": {"path": "status.nodes", "max": KEPT}},
    {"truncate": {"paths": ["status.message", "status.conditions[*].message"], "maxBytes": LONGEST, "keep": "Head"}},
)
ENDPOINTS = (f"{GADGETS.plural}/status", f"{WIDGETS.plural}/status", NOSUBS.plural)


def policy(
    name: str, *, mode: str, scope: Scope, trim: Sequence[Json] = TRIM, endpoints: Sequence[str] = ENDPOINTS
) -> Json:
    """Return one policy for the namespaces of a scope."""
    return {
        "apiVersion": "statuscap.dev/v1alpha1",
        "kind": "StatusPolicy",
        "metadata": {"name": name},
        "spec": {
            "mode": mode,
            "match": {
                "resources": [{"apiGroups": [GROUP], "resources": [*endpoints]}],
                "namespaces": {"include": [f"{scope}-*"]},
            },
            "trim": [*trim],
        },
    }


def one_a_mode() -> list[Json]:
    """Return the same trim once in each mode, for the namespaces of that mode."""
    return [policy(scope.value, mode=mode, scope=scope) for scope, mode in MODES.items()]
