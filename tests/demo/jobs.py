"""A Volcano Job that restarts again and again: its controller appends a condition at every change of phase."""

from __future__ import annotations

from datetime import datetime, timedelta

from tests.controlplane.objects import ANYTHING
from tests.controlplane.resources import Resource
from tests.demo.kind import Json, Promise, crd, fields, items, rfc3339

PHASES = ("Pending", "Running", "Restarting")
GROWN = 900  # conditions: a job that fails after half a minute and is restarted, for a night


class Jobs:
    """batch.volcano.sh/v1alpha1, with a status subresource."""

    resource = Resource("batch.volcano.sh", "v1alpha1", "jobs")
    name = "nightly-report"
    title = "Job"
    subresource = "status"
    manager = "vc-controller-manager"
    preset = "volcano-job-conditions"

    def crd(self) -> Json:
        status = fields(
            state=fields(phase="string", reason="string", message="string", lastTransitionTime="time"),
            conditions=items(fields(status="string", lastTransitionTime="time")),
            minAvailable="integer",
            version="integer",
            retryCount="integer",
            runningDuration="string",
            controlledResources={"type": "object", "additionalProperties": {"type": "string"}},
            taskStatusCount=dict(ANYTHING),
        )
        columns = {"Phase": ".status.state.phase", "Retries": ".status.retryCount"}
        return crd(self.resource, "Job", status=status, short=("vcjob", "vj"), columns=columns)

    def created(self) -> Json:
        task = {"name": "main", "replicas": 2, "policies": [{"event": "PodFailed", "action": "RestartJob"}]}
        return {
            "apiVersion": "batch.volcano.sh/v1alpha1",
            "kind": "Job",
            "metadata": {"name": self.name, "namespace": "default"},
            "spec": {"minAvailable": 2, "queue": "default", "schedulerName": "volcano", "tasks": [task]},
        }

    def grown(self, now: datetime) -> Json:
        since = now - timedelta(seconds=10 * GROWN)
        status: Json = {}
        for turn in range(GROWN):
            status = self.reconciled(status, turn, since + timedelta(seconds=10 * turn))
        return status

    def reconciled(self, status: Json, turn: int, now: datetime) -> Json:
        phase = next_phase(status.get("state", {}).get("phase"))
        entry = {"status": phase, "lastTransitionTime": rfc3339(now)}
        return {
            **status,
            "state": {"phase": phase, "lastTransitionTime": rfc3339(now)},
            "conditions": [*status.get("conditions", []), entry],
            "minAvailable": 2,
            "version": status.get("version", 0) + 1,
            "retryCount": status.get("retryCount", 0) + (phase == "Restarting"),
            "controlledResources": {"plugin-svc": "svc"},
        }

    def promises(self, sent: Json, stored: Json) -> list[Promise]:
        conditions = stored.get("conditions", [])
        newest = last_of_each_phase(sent["conditions"])
        rest, sent_rest = ({**status, "conditions": None} for status in (stored, sent))
        return [
            Promise(
                "one condition of each phase, the newest, in order",
                conditions == newest,
                f"{len(conditions)} conditions, {len(newest)} phases",
            ),
            Promise(
                "phase, retries and version as written",
                rest == sent_rest,
                f"retryCount {stored.get('retryCount')} of {sent['retryCount']}",
            ),
        ]


def next_phase(phase: str | None) -> str:
    return PHASES[(PHASES.index(phase) + 1) % len(PHASES)] if phase in PHASES else PHASES[0]


def last_of_each_phase(conditions: list[Json]) -> list[Json]:
    last = {entry["status"]: number for number, entry in enumerate(conditions)}
    return [conditions[number] for number in sorted(last.values())]
