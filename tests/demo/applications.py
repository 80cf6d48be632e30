"""An Argo CD Application that is synced all day: a history entry with all its values, and long messages, every time."""

from __future__ import annotations

from datetime import datetime, timedelta

from tests.controlplane.objects import ANYTHING
from tests.controlplane.resources import Resource
from tests.demo.kind import Json, Promise, byte_length, crd, fields, items, rfc3339

HISTORY = 5  # entries that the policy keeps
MESSAGE = 4096  # bytes of the operation's message that it keeps
RESULT = 1024  # bytes of a resource's message that it keeps
GROWN = 40  # syncs of a chart with 3 kB of values
VALUES = "\n".join(f"env.SETTING_{number}: value-of-setting-{number}" for number in range(70))
REFUSED = "error validating data: field spec.template.spec.containers[0].image is immutable while the job is active; "


class Applications:
    """argoproj.io/v1alpha1, without a status subresource: the status is written with the rest of the object."""

    resource = Resource("argoproj.io", "v1alpha1", "applications")
    name = "shop"
    title = "Application"
    subresource = ""
    manager = "argocd-application-controller"
    preset = "argocd-application"

    def crd(self) -> Json:
        source = fields(
            repoURL="string", path="string", targetRevision="string", chart="string", helm=fields(values="string")
        )
        resource = fields(
            group="string",
            version="string",
            kind="string",
            namespace="string",
            name="string",
            status="string",
            hookPhase="string",
            syncPhase="string",
            message="string",
        )
        result = fields(revision="string", resources=items(resource), source=source)
        operation = fields(
            phase="string",
            message="string",
            startedAt="time",
            finishedAt="time",
            operation=dict(ANYTHING),
            syncResult=result,
        )
        entry = fields(id="integer", revision="string", deployStartedAt="time", deployedAt="time", source=source)
        status = fields(
            history=items(entry, "id", "deployedAt"),
            operationState={**operation, "required": ["operation", "phase", "startedAt"]},
            sync=fields(status="string", revision="string", comparedTo=dict(ANYTHING)),
            health=fields(status="string"),
            resources=items(dict(ANYTHING)),
            reconciledAt="time",
        )
        columns = {"Sync Status": ".status.sync.status", "Last Sync": ".status.operationState.phase"}
        return crd(
            self.resource,
            "Application",
            status=status,
            short=("app", "apps"),
            columns=columns,
            status_subresource=False,
        )

    def created(self) -> Json:
        return {
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "Application",
            "metadata": {"name": self.name, "namespace": "default"},
            "spec": {
                "project": "default",
                "source": {"repoURL": "https://git.example/shop.git", "path": "chart", "targetRevision": "main"},
                "destination": {"namespace": "shop", "server": "https://kubernetes.default.svc"},
            },
        }

    def grown(self, now: datetime) -> Json:
        since = now - timedelta(hours=GROWN)
        status: Json = {}
        for turn in range(GROWN):
            status = self.reconciled(status, turn, since + timedelta(hours=turn))
        return status

    def reconciled(self, status: Json, turn: int, now: datetime) -> Json:
        history = status.get("history", [])
        number = history[-1]["id"] + 1 if history else 0  # as Argo CD numbers them: last id + 1
        revision = f"{number:040x}"
        entry = {"id": number, "revision": revision, "deployedAt": rfc3339(now), "source": source(number)}
        failed = number % 2 == 1
        return {
            **status,
            "history": [*history, entry],
            "operationState": operation(revision, failed, now),
            "sync": {"status": "OutOfSync" if failed else "Synced", "revision": revision},
            "health": {"status": "Healthy"},
            "reconciledAt": rfc3339(now),
        }

    def promises(self, sent: Json, stored: Json) -> list[Promise]:
        history = stored.get("history", [])
        operation = stored.get("operationState", {})
        messages = [one.get("message", "") for one in operation.get("syncResult", {}).get("resources", [])]
        longest = max(map(byte_length, messages), default=0)
        rest, sent_rest = (
            {**status, "history": None, "operationState": operation["phase"]}
            for status, operation in ((stored, operation), (sent, sent["operationState"]))
        )
        return [
            Promise(
                f"the newest {HISTORY} history entries, values and all",
                history == sent["history"][-HISTORY:],
                f"{len(history)}, the last has id {history[-1]['id']}",
            ),
            Promise(
                f"messages of the sync within {MESSAGE} and {RESULT} bytes",
                byte_length(operation["message"]) <= MESSAGE and longest <= RESULT,
                f"{byte_length(operation['message'])} and {longest} bytes",
            ),
            Promise("sync, health and phase as written", rest == sent_rest, rest["operationState"]),
        ]


def source(number: int) -> Json:
    return {
        "repoURL": "https://git.example/shop.git",
        "path": "chart",
        "targetRevision": "main",
        "helm": {"values": f"# release {number}\n{VALUES}"},
    }


def operation(revision: str, failed: bool, now: datetime) -> Json:
    """Return a finished operation; a failed one repeats the API server's refusal, in full and once a resource."""
    refused = REFUSED * 120 if failed else "successfully synced (all tasks run)"
    result = REFUSED * 30 if failed else "job.batch/migrate created"
    job = {"group": "batch", "version": "v1", "kind": "Job", "namespace": "shop", "name": "migrate", "message": result}
    return {
        "phase": "Failed" if failed else "Succeeded",
        "message": refused,
        "startedAt": rfc3339(now),
        "finishedAt": rfc3339(now),
        "operation": {"sync": {"revision": revision}},
        "syncResult": {"revision": revision, "resources": [{**job, "status": "SyncFailed" if failed else "Synced"}]},
    }
