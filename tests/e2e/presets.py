"""Kinds that the shipped policies are for, in the shape that their CRDs have where it matters, and what writes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tests.controlplane.objects import ANYTHING, INTEGER, MESSAGE_LIMIT, STRING, crd, keyed_list, with_status
from tests.controlplane.resources import Resource
from tests.e2e.objects import instant

Json = dict[str, Any]

PHASES = ("Pending", "Running", "Restarting")
TURNS = 40  # reconciliations: more than any of the policies keeps


@dataclass(frozen=True, slots=True)
class Preset:
    """A shipped policy and a kind of it.

    ``grow`` is one reconciliation of its controller: the status that was read and the number of the turn in, the status
    to be written out. ``kept`` is what has to be in etcd after so many turns.
    """

    name: str
    resource: Resource
    kind: str
    status: Json
    subresource: str
    grow: Callable[[Json, int], Json]
    kept: Callable[[Json], Any]
    expected: Any

    def crd(self) -> Json:
        """Return the CRD of the kind."""
        document = crd(
            self.resource.group,
            self.kind,
            self.resource.plural,
            status_subresource=bool(self.subresource),
            schema=with_status(self.status),
        )
        document["spec"]["versions"][0]["name"] = self.resource.version
        document["metadata"]["annotations"] = {"api-approved.kubernetes.io": "unapproved, a test"}
        return document

    def made(self, name: str) -> Json:
        """Return an object of the kind, to be created."""
        api_version = f"{self.resource.group}/{self.resource.version}"
        return {"apiVersion": api_version, "kind": self.kind, "metadata": {"name": name}, "spec": {"queue": "default"}}


def typed(**fields: Json) -> Json:
    """Return the schema of an object with these fields."""
    return {"type": "object", "properties": fields}


def several(items: Json) -> Json:
    """Return the schema of an atomic list."""
    return {"type": "array", "items": items}


# --- a job that restarts for ever ------------------------------------------------------------------------------------


def restarted(status: Json, turn: int) -> Json:
    """Append a condition for the phase that was entered."""
    entered = {"status": PHASES[turn % 3], "lastTransitionTime": instant(turn)}
    return {"state": {"phase": entered["status"]}, "conditions": [*status.get("conditions", []), entered]}


VOLCANO = Preset(
    name="volcano-job-conditions",
    resource=Resource("batch.volcano.sh", "v1alpha1", "jobs"),
    kind="Job",
    status=typed(
        state=typed(phase=STRING, lastTransitionTime=STRING),
        conditions=several(typed(status=STRING, lastTransitionTime=STRING)),
    ),
    subresource="status",
    grow=restarted,
    kept=lambda status: [entry["lastTransitionTime"] for entry in status["conditions"]],
    expected=[instant(turn) for turn in range(TURNS - 3, TURNS)],
)

# --- an analysis that measures for ever ------------------------------------------------------------------------------


def measured(status: Json, turn: int) -> Json:
    """Append a finished measurement; the count beside the list goes on."""
    (before,) = status.get("metricResults", [{"name": "rate"}])
    value = {"phase": "Successful", "value": f"[{turn}]", "startedAt": instant(turn), "finishedAt": instant(turn)}
    measurements = [*before.get("measurements", []), value]
    return {"phase": "Running", "metricResults": [{**before, "count": turn + 1, "measurements": measurements}]}


MEASUREMENT = typed(phase=STRING, value=STRING, startedAt=STRING, finishedAt=STRING, message=STRING)
ANALYSIS = Preset(
    name="argo-rollouts-analysisrun",
    resource=Resource("argoproj.io", "v1alpha1", "analysisruns"),
    kind="AnalysisRun",
    status=typed(
        phase=STRING, metricResults=several(typed(name=STRING, count=INTEGER, measurements=several(MEASUREMENT)))
    ),
    subresource="",
    grow=measured,
    kept=lambda status: [
        (metric["count"], [one["value"] for one in metric["measurements"]]) for metric in status["metricResults"]
    ],
    expected=[(TURNS, [f"[{turn}]" for turn in range(TURNS - 10, TURNS)])],
)

# --- an application that is synced for ever --------------------------------------------------------------------------


def synced(status: Json, turn: int) -> Json:
    """Append a revision, with the id that follows on the last one."""
    history = status.get("history", [])
    number = history[-1]["id"] + 1 if history else 0
    entry = {"id": number, "revision": f"r{turn}", "deployedAt": instant(turn), "source": {"path": "chart"}}
    return {
        "history": [*history, entry],
        "operationState": {"phase": "Failed", "message": f"{turn}: " + "m" * 9000},
        "resources": [{"kind": "Service", "name": "web"}],
    }


REVISION = typed(id=INTEGER, revision=STRING, deployedAt=STRING, source=dict(ANYTHING))
APPLICATION = Preset(
    name="argocd-application",
    resource=Resource("argoproj.io", "v1alpha1", "applications"),
    kind="Application",
    status=typed(
        history=several(REVISION),
        operationState=typed(phase=STRING, message=STRING),
        resources=several(typed(kind=STRING, name=STRING)),
    ),
    subresource="",
    grow=synced,
    kept=lambda status: (
        [entry["id"] for entry in status["history"]],
        len(status["operationState"]["message"]) <= 4096,
        status["resources"],
    ),
    expected=([*range(TURNS - 5, TURNS)], True, [{"kind": "Service", "name": "web"}]),
)

# --- a cluster that repeats what its tool said -----------------------------------------------------------------------


def complained(_: Json, turn: int) -> Json:
    """Copy 40,000 characters into a message, which is more than the schema has room for."""
    said = {"type": "Ready", "status": "False", "reason": "Failed", "message": f"{turn}: " + "é" * 40_000}
    return {"phase": "Failed", "conditions": [{**said, "lastTransitionTime": instant(turn)}]}


CONDITION = typed(
    type=STRING,
    status=STRING,
    reason=STRING,
    lastTransitionTime=STRING,
    message={"type": "string", "maxLength": MESSAGE_LIMIT},
)
CLUSTER = Preset(
    name="condition-message-cap",
    resource=Resource("apps.kubeblocks.io", "v1", "clusters"),
    kind="Cluster",
    status=typed(phase=STRING, conditions=keyed_list({**CONDITION, "required": ["type"]}, "type")),
    subresource="status",
    grow=complained,
    kept=lambda status: [
        (one["type"], one["reason"], 31_990 < len(one["message"].encode()) <= 32_000) for one in status["conditions"]
    ],
    expected=[("Ready", "Failed", True)],
)

# --- a release that is retried for ever ------------------------------------------------------------------------------


def retried(status: Json, turn: int) -> Json:
    """Prepend a failed upgrade to the two releases that went well."""
    before = status.get("history", [])
    outcome = ("superseded", "deployed")[turn] if turn < 2 else "failed"
    entry = {"version": turn + 1, "status": outcome, "digest": f"sha256:{turn}", "lastDeployed": instant(turn)}
    return {"failures": turn, "history": [entry, *before]}


RELEASE = Preset(
    name="flux-helmrelease-history",
    resource=Resource("helm.toolkit.fluxcd.io", "v2", "helmreleases"),
    kind="HelmRelease",
    status=typed(
        failures=INTEGER, history=several(typed(version=INTEGER, status=STRING, digest=STRING, lastDeployed=STRING))
    ),
    subresource="status",
    grow=retried,
    kept=lambda status: (status["failures"], [entry["version"] for entry in status["history"]]),
    expected=(TURNS - 1, [*range(TURNS, TURNS - 8, -1), 2, 1]),
)

# --- conditions that are added where they should be replaced ---------------------------------------------------------


def added(status: Json, turn: int) -> Json:
    """Add a condition of one of three types."""
    condition = {
        "type": PHASES[turn % 3],
        "status": "True",
        "reason": f"Sync{turn}",
        "lastTransitionTime": instant(turn),
    }
    return {"conditions": [*status.get("conditions", []), condition]}


MACHINE = Preset(
    name="condition-dedupe-by-type",
    resource=Resource("kubevirt.io", "v1", "virtualmachineinstances"),
    kind="VirtualMachineInstance",
    status=typed(conditions=several(typed(type=STRING, status=STRING, reason=STRING, lastTransitionTime=STRING))),
    subresource="status",
    grow=added,
    kept=lambda status: [(one["type"], one["reason"]) for one in status["conditions"]],
    expected=[(phase, f"Sync{TURNS - 1 - (TURNS - 1 - place) % 3}") for place, phase in enumerate(PHASES)],
)

# --- a history that repeats itself -----------------------------------------------------------------------------------


def logged(status: Json, turn: int) -> Json:
    """Log the state, which changes twice in the beginning."""
    entry = {"status": PHASES[min(turn // 5, 2)], "transitionTime": instant(turn)}
    return {"requestState": entry["status"], "history": [*status.get("history", []), entry]}


REQUEST = Preset(
    name="collapse-repeated-entries",
    resource=Resource("ephemeral-access.argoproj-labs.io", "v1alpha1", "accessrequests"),
    kind="AccessRequest",
    status=typed(requestState=STRING, history=several(typed(status=STRING, transitionTime=STRING))),
    subresource="status",
    grow=logged,
    kept=lambda status: [entry["transitionTime"] for entry in status["history"]],
    expected=[instant(turn) for turn in (0, 5, 10)],
)

# --- a machine whose node flaps, with conditions in a new and in a deprecated place -----------------------------------


def flapped(status: Json, turn: int) -> Json:
    """Say again that the machine is available, as of now, and append what its node did."""
    available = {"type": "Available", "status": "True", "reason": "Available", "lastTransitionTime": instant(turn)}
    changed = {"type": "NodeReady", "status": ("True", "False")[turn % 2], "lastTransitionTime": instant(turn)}
    deprecated = status.get("deprecated", {}).get("v1beta1", {}).get("conditions", [])
    return {
        "phase": "Running",
        "conditions": [available, *status.get("conditions", [])[1:], {**changed, "reason": f"Probe{turn}"}],
        "deprecated": {"v1beta1": {"conditions": [*deprecated, {**changed, "severity": "Info"}]}},
    }


FLAPPING = several(typed(type=STRING, status=STRING, severity=STRING, reason=STRING, lastTransitionTime=STRING))
API_MACHINE = Preset(
    name="cluster-api-conditions",
    resource=Resource("cluster.x-k8s.io", "v1beta2", "machines"),
    kind="Machine",
    status=typed(phase=STRING, conditions=FLAPPING, deprecated=typed(v1beta1=typed(conditions=FLAPPING))),
    subresource="status",
    grow=flapped,
    kept=lambda status: (
        [one["lastTransitionTime"] for one in status["conditions"]],
        [one["lastTransitionTime"] for one in status["deprecated"]["v1beta1"]["conditions"]],
    ),
    expected=(
        [instant(0), *(instant(turn) for turn in range(TURNS - 19, TURNS))],
        [instant(turn) for turn in range(TURNS - 20, TURNS)],
    ),
)

# --- a cluster of brokers that is reconciled for ever ----------------------------------------------------------------


def reconciled(_: Json, turn: int) -> Json:
    """Set the time of a condition anew that is as it was; only the generation moves."""
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": instant(turn)}
    return {"observedGeneration": 1000 + turn, "conditions": [ready]}


BROKERS = Preset(
    name="condition-transition-time",
    resource=Resource("kafka.strimzi.io", "v1beta2", "kafkas"),
    kind="Kafka",
    status=typed(
        observedGeneration=INTEGER,
        conditions=several(typed(type=STRING, status=STRING, lastTransitionTime=STRING)),
    ),
    subresource="status",
    grow=reconciled,
    kept=lambda status: (status["observedGeneration"], [one["lastTransitionTime"] for one in status["conditions"]]),
    expected=(999 + TURNS, [instant(0)]),
)

# --- an application that streams for ever and loses its executors ----------------------------------------------------

STARTED = 3  # executors in a turn; 60 in half of the turns are more than the policy keeps
FIRST = 1000


def restarted_executors(status: Json, turn: int) -> Json:
    """Start some executors in the place of those that ran."""
    over = dict.fromkeys(status.get("executorState", {}), "COMPLETED")
    started = {f"app-exec-{FIRST + turn * STARTED + number}": "RUNNING" for number in range(STARTED)}
    return {"applicationState": {"state": "RUNNING"}, "executorState": {**over, **started}}


SPARK = Preset(
    name="spark-executor-state",
    resource=Resource("sparkoperator.k8s.io", "v1beta2", "sparkapplications"),
    kind="SparkApplication",
    status=typed(
        applicationState=typed(state=STRING), executorState={"type": "object", "additionalProperties": STRING}
    ),
    subresource="status",
    grow=restarted_executors,
    kept=lambda status: status["executorState"],
    expected={
        f"app-exec-{FIRST + number}": "RUNNING" if number >= (TURNS - 1) * STARTED else "COMPLETED"
        for number in range(TURNS * STARTED - 50, TURNS * STARTED)
    },
)

# --- a queue that is polled for ever ---------------------------------------------------------------------------------


def polled(clock: Callable[[], datetime]) -> Callable[[Json, int], Json]:
    """Find the trigger active as of now; the fraction of the second tells the turn."""

    def grow(_: Json, turn: int) -> Json:
        return {"originalReplicaCount": 1, "lastActiveTime": f"{clock():%Y-%m-%dT%H:%M:%S}.{turn:06}Z"}

    return grow


QUEUE = Preset(
    name="keda-scaledobject-heartbeat",
    resource=Resource("keda.sh", "v1alpha1", "scaledobjects"),
    kind="ScaledObject",
    status=typed(originalReplicaCount=INTEGER, lastActiveTime={"type": "string", "format": "date-time"}),
    subresource="status",
    grow=polled(lambda: datetime.now(UTC)),
    kept=lambda status: status["lastActiveTime"][-7:],
    expected="000000Z",
)

# --- a volume that is written to for ever ----------------------------------------------------------------------------

MIB = 2**20


def filled(_: Json, turn: int) -> Json:
    """Measure one MiB more, in a number and in a text."""
    size = (1000 + turn) * MIB
    return {"state": "attached", "actualSize": size, "snapshots": {"volume-head": {"size": str(size)}}}


VOLUME = Preset(
    name="longhorn-sizes",
    resource=Resource("longhorn.io", "v1beta2", "volumes"),
    kind="Volume",
    status=typed(
        state=STRING,
        actualSize={"type": "integer", "format": "int64"},
        snapshots={"type": "object", "additionalProperties": typed(size=STRING)},
    ),
    subresource="status",
    grow=filled,
    kept=lambda status: (status["actualSize"], status["snapshots"]["volume-head"]["size"]),
    expected=(1000 * MIB, str(1000 * MIB)),
)

# --- an app whose deployment says much ------------------------------------------------------------------------------


def deployed(_: Json, turn: int) -> Json:
    """Copy the whole output, of which the end says how it went."""
    said = "".join(f"ok: reconcile deployment/web-{number:05}\n" for number in range(3000))
    return {"deploy": {"exitCode": 0, "finished": True, "stdout": f"{said}\nSucceeded {turn:03}"}}


APP = Preset(
    name="kapp-app-output",
    resource=Resource("kappctrl.k14s.io", "v1alpha1", "apps"),
    kind="App",
    status=typed(deploy=typed(exitCode=INTEGER, finished={"type": "boolean"}, stdout=STRING)),
    subresource="status",
    grow=deployed,
    kept=lambda status: (
        65_000 < len(status["deploy"]["stdout"].encode()) <= 65_536,
        status["deploy"]["stdout"].splitlines()[-1],
    ),
    expected=(True, f"Succeeded {TURNS - 1:03}"),
)

# --- a set that generates an application for every branch ------------------------------------------------------------

GENERATED = 5000


def generated(_: Json, turn: int) -> Json:
    """List one application more."""
    count = GENERATED + 1 + turn
    return {"resourcesCount": count, "resources": [{"name": f"b{number:05}"} for number in range(count)]}


FLEET = Preset(
    name="argocd-applicationset-resources",
    resource=Resource("argoproj.io", "v1alpha1", "applicationsets"),
    kind="ApplicationSet",
    status=typed(resourcesCount=INTEGER, resources=several(typed(name=STRING))),
    subresource="status",
    grow=generated,
    kept=lambda status: (status["resourcesCount"], len(status["resources"]), status["resources"][-1]["name"]),
    expected=(GENERATED + TURNS, GENERATED, f"b{GENERATED - 1:05}"),
)

# --- a report that is almost too big to be stored ---------------------------------------------------------------------

LINES = 48_000


def rendered(_: Json, turn: int) -> Json:
    """Copy more than 1Mi of output, of which the end says how it went."""
    said = "".join(f"rendered the page {number:05}\n" for number in range(LINES))
    return {"phase": "Done", "output": f"{said}Finished {turn:03}"}


REPORT = Preset(
    name="oversized-status",
    resource=Resource("example.dev", "v1", "reports"),
    kind="Report",
    status=typed(phase=STRING, output=STRING),
    subresource="status",
    grow=rendered,
    kept=lambda status: (
        65_000 < len(status["output"].encode()) <= 65_536,
        status["output"].splitlines()[-1],
    ),
    expected=(True, f"Finished {TURNS - 1:03}"),
)

PRESETS = (
    VOLCANO,
    ANALYSIS,
    APPLICATION,
    CLUSTER,
    RELEASE,
    MACHINE,
    REQUEST,
    API_MACHINE,
    BROKERS,
    SPARK,
    QUEUE,
    VOLUME,
    APP,
    FLEET,
    REPORT,
)
