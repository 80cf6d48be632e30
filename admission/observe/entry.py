"""One line of the decision log: what was decided on one review, and never a value of a status.

The schema is public: reports and replays read it back with :func:`read`.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

import msgspec
from msgspec import Raw, Struct

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision, PolicyReport, StepReport
from admission.engine.instant import SECOND
from admission.handler import Answer

MUTATING: Final = "mutating"
_MICROSECOND: Final = 1_000
_MILLISECOND: Final = 1_000_000


class StepEntry(Struct, frozen=True, rename="camel", omit_defaults=True):
    """What one step removed: ``items`` of the list, map or string at ``path``, ``bytes`` as stored."""

    step: str
    path: str
    items: int
    bytes: int
    reason: str = ""


class PolicyEntry(Struct, frozen=True, rename="camel"):
    """What one matching policy did or, in Warn and DryRun, would have done. Steps that did nothing are left out."""

    name: str
    mode: str
    outcome: str
    reason: str
    steps: tuple[StepEntry, ...]


class Entry(Struct, frozen=True, rename="camel"):
    """One decision. ``time`` is RFC 3339 in UTC; sizes are bytes as stored; ``before`` and ``after`` measure the root.

    ``resource_version`` is the stored object's: with ``object_uid`` it tells calls for one and the same write apart
    from others.
    """

    time: str
    instance: str
    phase: str
    uid: str
    object_uid: str
    resource_version: str
    policy_digest: str
    operation: str
    group: str
    version: str
    resource: str
    subresource: str
    namespace: str
    name: str
    user: str
    field_manager: str
    request_dry_run: bool
    outcome: str
    reason: str
    policies: tuple[PolicyEntry, ...]
    bytes_before: int
    bytes_after: int
    object_bytes: int
    patch_ops: int
    duration_ms: float


_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final = msgspec.json.Decoder(Entry)


def write(entry: Entry) -> bytes:
    """An entry as one line, with its line feed."""
    return _ENCODER.encode(entry) + b"\n"


def read(line: bytes) -> Entry:
    """An entry from its line; unknown fields of a later version are ignored.

    Raises:
        msgspec.DecodeError: the line is no entry.
    """
    return _DECODER.decode(line)


def entry_of(answer: Answer, decision: Decision, instance: str, duration: int) -> Entry:
    """The entry for an answer that carries a decision. ``duration`` is nanoseconds."""
    attributes = answer.attributes or _unknown(answer.uid)
    identity = _identity(attributes)
    return Entry(
        time=rfc3339(answer.at),
        instance=instance,
        phase=MUTATING,
        uid=answer.uid,
        object_uid=identity.uid,
        resource_version="" if attributes.stored is None else identity.resource_version,
        policy_digest=answer.policies.digest,
        operation=attributes.operation,
        group=attributes.group,
        version=attributes.version,
        resource=attributes.resource,
        subresource=attributes.subresource,
        namespace=attributes.namespace,
        name=attributes.name,
        user=attributes.user,
        field_manager=attributes.field_manager or "",
        request_dry_run=attributes.request_dry_run,
        outcome=decision.outcome,
        reason=decision.reason,
        policies=tuple(map(_policy_entry, decision.policies)),
        bytes_before=decision.bytes_before,
        bytes_after=decision.bytes_after,
        object_bytes=decision.object_bytes,
        patch_ops=len(decision.patch),
        duration_ms=duration // _MICROSECOND / 1_000,
    )


def _policy_entry(report: PolicyReport) -> PolicyEntry:
    steps = tuple(_step_entry(step) for step in report.steps if step.items or step.reason)
    return PolicyEntry(report.name, report.mode, report.outcome, report.reason, steps)


def _step_entry(step: StepReport) -> StepEntry:
    return StepEntry(step.step, step.path, step.items, step.bytes, step.reason.value)


def _unknown(uid: str) -> Attributes:
    """What is known of a review that could not be decoded."""
    return Attributes(uid, "", "", "", "", "", "", "", submitted=Raw(b"{}"))


class _Metadata(Struct, rename="camel"):
    uid: str = ""
    resource_version: str = ""


class _Object(Struct):
    metadata: _Metadata | None = None


_METADATA: Final = msgspec.json.Decoder(_Object)
_METADATA_FIRST: Final = re.compile(rb'\{"apiVersion":"[^"\\]*","kind":"[^"\\]*","metadata":\{')
_AS_GO_SORTS: Final = re.compile(rb'"resourceVersion":"([0-9]+)"(?:,"selfLink":"[^"]*")?,"uid":"([0-9a-f-]+)"')
"""The two in metadata as the API server sends it: nothing before them there has this form, and the search ends soon."""


def _identity(attributes: Attributes) -> _Metadata:
    """Whose status it is: from the stored object, since a PUT may leave the uid out; on CREATE from the submitted."""
    value = attributes.submitted if attributes.stored is None else attributes.stored
    found = _AS_GO_SORTS.search(value) if attributes.compact and _METADATA_FIRST.match(value) else None
    if found is not None:
        return _Metadata(found[2].decode(), found[1].decode())
    try:
        return _METADATA.decode(value).metadata or _Metadata()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _Metadata()


def rfc3339(at: int) -> str:
    """Nanoseconds since the epoch as ``2026-01-01T00:00:00.123Z``."""
    seconds, rest = divmod(at, SECOND)
    return f"{_to_the_second(seconds)}.{rest // _MILLISECOND:03}Z"


@lru_cache(maxsize=2)
def _to_the_second(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}"
