"""A KubeBlocks Cluster whose condition quotes 47 kB of a tool's output: the API server takes 32768 at most."""

from __future__ import annotations

from datetime import datetime

from tests.controlplane.objects import ANYTHING, MESSAGE_LIMIT
from tests.controlplane.resources import Resource
from tests.demo.kind import Json, Promise, byte_length, crd, fields, items, rfc3339

KEPT = 32_000  # bytes of a message that the policy keeps
OUTPUT = 47_000  # bytes that the tool prints
LINE = "pg_basebackup: error: could not send replication command: no pg_hba.conf entry for replication; "
CUT = "… [statuscap: "  # how the policy marks a cut


class Clusters:
    """apps.kubeblocks.io/v1, with a status subresource and metav1.Condition's limit on messages."""

    resource = Resource("apps.kubeblocks.io", "v1", "clusters")
    name = "orders"
    title = "Cluster"
    subresource = "status"
    manager = "kubeblocks"
    preset = "condition-message-cap"

    def crd(self) -> Json:
        condition = fields(
            type="string",
            status="string",
            reason="string",
            message={"type": "string", "maxLength": MESSAGE_LIMIT},
            lastTransitionTime="time",
            observedGeneration="integer",
        )
        required = ("type", "status", "reason", "message", "lastTransitionTime")
        status = fields(
            phase="string",
            observedGeneration="integer",
            conditions=items(condition, *required),
            components=dict(ANYTHING),
        )
        return crd(self.resource, "Cluster", status=status, columns={"Status": ".status.phase"})

    def created(self) -> Json:
        component = {"name": "postgresql", "componentDef": "postgresql-16", "replicas": 2}
        return {
            "apiVersion": "apps.kubeblocks.io/v1",
            "kind": "Cluster",
            "metadata": {"name": self.name, "namespace": "default"},
            "spec": {"terminationPolicy": "Delete", "componentSpecs": [component]},
        }

    def grown(self, now: datetime) -> Json:
        """Hours of failing change nothing here: the first long message freezes the object."""
        provisioned = condition("ProvisioningStarted", "True", "PreCheckSucceed", "The operator has started", now)
        return {"phase": "Creating", "observedGeneration": 1, "conditions": [provisioned]}

    def reconciled(self, status: Json, turn: int, now: datetime) -> Json:
        kept = [one for one in status.get("conditions", []) if one["type"] != "Ready"]
        ready = condition("Ready", "False", "ComponentsNotReady", output(turn), now)
        return {**status, "phase": "Failed", "observedGeneration": 1, "conditions": [*kept, ready]}

    def promises(self, sent: Json, stored: Json) -> list[Promise]:
        message = stored["conditions"][-1]["message"]
        head, marked, _ = message.partition(CUT)
        whole = sent["conditions"][-1]["message"]
        rest, sent_rest = (without_messages(status) for status in (stored, sent))
        return [
            Promise(
                f"the message within {KEPT} bytes; {MESSAGE_LIMIT} are allowed",
                byte_length(message) <= KEPT,
                f"{byte_length(message)} of {byte_length(whole)} bytes",
            ),
            Promise(
                "it is the start of the newest, and the cut is marked",
                bool(marked) and whole.startswith(head),
                f"{message[:10]}…",
            ),
            Promise(
                "phase and conditions as written, but for that message", rest == sent_rest, stored.get("phase", "")
            ),
        ]


def output(turn: int) -> str:
    return (f"attempt {turn}: " + LINE * (OUTPUT // len(LINE) + 1))[:OUTPUT]


def condition(type: str, status: str, reason: str, message: str, now: datetime) -> Json:
    return {
        "type": type,
        "status": status,
        "reason": reason,
        "message": message,
        "lastTransitionTime": rfc3339(now),
        "observedGeneration": 1,
    }


def without_messages(status: Json) -> Json:
    return {**status, "conditions": [{**one, "message": ""} for one in status["conditions"]]}
