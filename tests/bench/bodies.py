"""The reviews that are sent: status writes of a job-like custom resource, byte for byte as the API server writes them.

The envelope keeps the member order of ``k8s.io/api/admission/v1``; objects are compact with sorted keys (Go maps), HTML
escaped, and a line feed ends the body (``json.Encoder``). ``managedFields`` name every field that the writer owns.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, Final

import msgspec

from tests.review_sample import go_json

GROUP: Final = "training.example.com"
RESOURCE: Final = "trainjobs"
KIND: Final = "TrainJob"
PREFIX: Final = b'{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"'

SUBMITTED_CONDITIONS: Final = 30
KEPT_CONDITIONS: Final = 10
MESSAGE_BYTES: Final = 1024
"""What the policy of the benchmark keeps."""

_TYPES: Final = ("Created", "Queued", "Running", "Restarting", "Suspended")
_UID_SLOT: Final = "00000000-0000-4000-8000-000000000000"
_CONTROLLER: Final = "trainjob-controller"


class Variant(StrEnum):
    """Whether the policy finds something to do."""

    TO_TRIM = "to trim"
    COMPLIANT = "compliant"


@dataclass(frozen=True)
class Size:
    """How much there is of everything that makes a status grow.

    ``long_messages`` are the bytes of the messages of the newest conditions, newest last, before escaping;
    ``compliant_message`` is the length of each message in the compliant variant, so that both variants weigh the same.
    ``stored`` is how many conditions are in etcd before the write.
    """

    name: str
    stored: int
    environment: int
    history: int
    workers: int
    long_messages: tuple[int, ...]
    compliant_message: int


SIZES: Final = (
    Size("small", stored=1, environment=0, history=0, workers=0, long_messages=(1_030,), compliant_message=265),
    Size(
        "mid",
        stored=KEPT_CONDITIONS,
        environment=40,
        history=52,
        workers=44,
        long_messages=(1_500, 1_900, 2_300),
        compliant_message=800,
    ),
    Size(
        "big",
        stored=KEPT_CONDITIONS,
        environment=100,
        history=1_450,
        workers=850,
        long_messages=(1_500, 4_000, 9_000, 16_000),
        compliant_message=1_000,
    ),
)
"""About 6 KB, 65 KB and 1.2 MB of review; mid and big are mostly what no policy reads."""

SIZE_NAMES: Final = tuple(size.name for size in SIZES)


@dataclass(frozen=True)
class Body:
    """One review without its uid, which is fresh in every request."""

    size: str
    variant: Variant
    template: bytes

    @property
    def name(self) -> str:
        """How tables call it: ``small, to trim``."""
        return f"{self.size}, {self.variant}"

    @property
    def length(self) -> int:
        """Bytes on the wire, with a uid."""
        return len(self.template)

    @cached_property
    def tail(self) -> bytes:
        """Everything behind the uid."""
        return self.template[len(PREFIX) + len(_UID_SLOT) :]

    def review(self, uid: str) -> bytes:
        """The whole body with this uid (36 characters)."""
        return b"".join((PREFIX, uid.encode(), self.tail))

    @cached_property
    def submitted(self) -> dict[str, Any]:
        """``request.object``, decoded."""
        found: dict[str, Any] = msgspec.json.decode(self.template)["request"]["object"]
        return found


def uid(number: int) -> str:
    """A uid in the form of a version 4 UUID; much cheaper than a random one, which the loader would pay for."""
    return f"{_UID_SLOT[:24]}{number:012x}"


def bodies(names: Iterable[str] = SIZE_NAMES) -> tuple[Body, ...]:
    """The table of bodies: both variants of the sizes with these names, smallest first."""
    wanted = set(names)
    return tuple(
        Body(size.name, variant, _review(size, variant)) for size in SIZES if size.name in wanted for variant in Variant
    )


# --- the review ------------------------------------------------------------------------------------------------------


def _review(size: Size, variant: Variant) -> bytes:
    kind = {"group": GROUP, "version": "v1", "kind": KIND}
    resource = {"group": GROUP, "version": "v1", "resource": RESOURCE}
    request = {
        "uid": _UID_SLOT,
        "kind": kind,
        "resource": resource,
        "subResource": "status",
        "requestKind": kind,
        "requestResource": resource,
        "requestSubResource": "status",
        "name": "llm-pretrain",
        "namespace": "research",
        "operation": "UPDATE",
        "userInfo": {
            "username": f"system:serviceaccount:training:{_CONTROLLER}",
            "uid": "8d1a3a0e-6f3e-4a5e-9a53-0c5a3c1d7f10",
            "groups": ["system:serviceaccounts", "system:serviceaccounts:training", "system:authenticated"],
        },
        "object": _custom_resource(size, _submitted_conditions(size, variant), size.history),
        "oldObject": _custom_resource(size, _stored_conditions(size), max(0, size.history - 1)),
        "dryRun": False,
        "options": {"kind": "UpdateOptions", "apiVersion": "meta.k8s.io/v1", "fieldManager": _CONTROLLER},
    }
    return go_json({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": request})


def _custom_resource(size: Size, conditions: list[dict[str, Any]], history: int) -> dict[str, Any]:
    status: dict[str, Any] = {"conditions": conditions}
    if history:
        status["history"] = [_attempt(number) for number in range(history)]
    if size.workers:
        status["workers"] = {f"worker-{number:04}": _worker(number) for number in range(size.workers)}
    spec: dict[str, Any] = {"replicas": max(1, size.workers)}
    if size.environment:
        spec["runPolicy"] = {"cleanPodPolicy": "None"}
        spec["env"] = [{"name": f"SETTING_{n:03}", "value": f"--flag-{n}=a&b<{n}>"} for n in range(size.environment)]
    found: dict[str, Any] = _sorted(
        {
            "apiVersion": f"{GROUP}/v1",
            "kind": KIND,
            "metadata": {
                "creationTimestamp": "2026-01-01T00:00:00Z",
                "generation": 1,
                "managedFields": _managed_fields(spec, status),
                "name": "llm-pretrain",
                "namespace": "research",
                "resourceVersion": "1042",
                "uid": "9f2d6c1e-6f0a-4c7b-9a55-0f9c2f3d7b11",
            },
            "spec": spec,
            "status": status,
        }
    )
    return found


def _managed_fields(spec: dict[str, Any], status: dict[str, Any]) -> list[dict[str, Any]]:
    """Who owns what: lists are atomic here (as in CRDs that say nothing about them), maps are owned by the member."""
    return [
        _manager("kubectl-create", {"f:spec": _owned(spec)}),
        _manager(_CONTROLLER, {"f:status": _owned(status)}) | {"subresource": "status"},
    ]


def _manager(name: str, fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": f"{GROUP}/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
        "manager": name,
        "operation": "Update",
        "time": "2026-01-01T00:30:00Z",
    }


def _owned(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        return {}
    return {".": {}} | {f"f:{name}": _owned(member) for name, member in value.items()}


# --- the status ------------------------------------------------------------------------------------------------------


def _submitted_conditions(size: Size, variant: Variant) -> list[dict[str, Any]]:
    numbers = range(SUBMITTED_CONDITIONS)
    if variant is Variant.COMPLIANT:
        return [_condition(number, _log(number, size.compliant_message)) for number in numbers[-KEPT_CONDITIONS:]]
    first_long = SUBMITTED_CONDITIONS - len(size.long_messages)
    short = [_condition(number, "ok") for number in numbers[:first_long]]
    return short + [_condition(first_long + at, _log(at, length)) for at, length in enumerate(size.long_messages)]


def _stored_conditions(size: Size) -> list[dict[str, Any]]:
    """What is in etcd before this write: at most the cap, and none of the newest conditions yet."""
    last = SUBMITTED_CONDITIONS - len(size.long_messages)
    return [_condition(number, "ok") for number in range(last - size.stored, last)]


def _condition(number: int, message: str) -> dict[str, Any]:
    return {
        "lastTransitionTime": f"2026-01-01T00:{number:02}:00Z",
        "message": message,
        "status": "True",
        "type": _TYPES[number % len(_TYPES)],
    }


def _log(number: int, length: int) -> str:
    """Tool output with what needs an escape: quotes, line feeds, ``<``, ``>``, ``&``."""
    line = (
        f'rank {number}: "nccl" all-reduce of layer 31 gave up after 30s & is tried again (worker-{number:04} <gpu>)\n'
    )
    return (line * (length // len(line) + 1))[:length]


def _attempt(number: int) -> dict[str, Any]:
    return {
        "checkpoint": f"s3://models/llm-pretrain/step-{number * 500:08}",
        "finishedAt": f"2026-01-{1 + number % 28:02}T{number % 24:02}:59:59Z",
        "message": f"step {number * 500} reached; loss 2.{number % 997:03} < 3 & falling",
        "metrics": {"loss": f"2.{number % 997:03}", "throughput": 1830 + number % 40},
        "result": "Succeeded",
        "startedAt": f"2026-01-{1 + number % 28:02}T{number % 24:02}:00:00Z",
    }


def _worker(number: int) -> dict[str, Any]:
    return {
        "node": f"gpu-{number % 64:03}.cluster.internal",
        "phase": "Running",
        "podIP": f"10.{number // 250 % 250}.{number % 250}.7",
        "restarts": number % 3,
        "startedAt": "2026-01-01T00:01:00Z",
    }


def _sorted(value: Any) -> Any:
    """A value whose objects have their members in order, as Go writes maps."""
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    if isinstance(value, list):
        return [_sorted(item) for item in value]
    return value
