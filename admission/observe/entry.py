"""One line of the decision log: what was decided on one review, and never a value of a status.

The schema is public, and every field says in it what it means: the reference is made from that. :func:`read` reads a
line back.
"""

from __future__ import annotations

from base64 import b64decode
from datetime import UTC, datetime
from functools import lru_cache
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision, PolicyReport, StepReport
from admission.engine.instant import SECOND
from admission.handler import Answer
from admission.observe.identity import Identity, identity_of

_MICROSECOND: Final = 1_000
_MILLISECOND: Final = 1_000_000


class StepEntry(Struct, frozen=True, rename="camel", omit_defaults=True):
    """What one step removed, cut, dropped or put back."""

    step: Annotated[str, Meta(description="The key of the step in `trim`; `budget.truncate` is one that a budget ran.")]
    path: Annotated[str, Meta(description="Its path, as the policy has it.")]
    items: Annotated[int, Meta(description="Items, texts and fields that it removed, cut, dropped or put back.")]
    bytes: Annotated[int, Meta(description="What that saves, as stored.")]
    reason: Annotated[str, Meta(description="Why it left something alone; absent when it did not.")] = ""


class PolicyEntry(Struct, frozen=True, rename="camel"):
    """What one matching policy did or, in Warn and DryRun, would have done."""

    name: Annotated[str, Meta(description="The name of the policy.")]
    mode: Annotated[str, Meta(description="Its mode at the time.")]
    outcome: Annotated[str, Meta(description="What it did or, in Warn and DryRun, would have done.")]
    reason: Annotated[str, Meta(description="Why, where the outcome does not tell it; empty otherwise.")]
    steps: Annotated[
        tuple[StepEntry, ...],
        Meta(description="The steps that changed something, or say why they did not; others are left out."),
    ]


class RemovedEntry(Struct, frozen=True, rename="camel", omit_defaults=True):
    """One thing that the answer removed, cut or put back: one operation of the patch that undoes it."""

    op: Annotated[
        str,
        Meta(
            description="`add`: an item or a field that was removed. `replace`: what a value was before it was cut or "
            "put back. `remove`: a field that was not there."
        ),
    ]
    path: Annotated[str, Meta(description="Its JSON Pointer in the object as submitted.")]
    value: Annotated[
        Raw | UnsetType, Meta(description="The value as submitted; absent for `remove`, and where `valueBase64` is.")
    ] = UNSET
    value_base64: Annotated[
        str | UnsetType,
        Meta(
            description="In place of `value`, when its bytes are no UTF-8, which no line may hold: the bytes of the "
            "JSON value as submitted, in base64.",
            extra_json_schema={"contentEncoding": "base64", "contentMediaType": "application/json"},
        ),
    ] = UNSET

    @property
    def submitted(self) -> bytes | None:
        """The bytes of the value as submitted, but for blanks between tokens; None for `remove`."""
        if isinstance(self.value_base64, str):
            return b64decode(self.value_base64, validate=True)
        return None if isinstance(self.value, UnsetType) else bytes(self.value)


class Entry(Struct, frozen=True, rename="camel"):
    """One decision. Sizes are bytes as etcd stores them."""

    time: Annotated[str, Meta(description="When the review was judged: RFC 3339, UTC, milliseconds.")]
    instance: Annotated[str, Meta(description="The replica (`--instance`).")]
    phase: Annotated[str, Meta(description="`mutating`; or `validating`, in which only limits are judged.")]
    uid: Annotated[str, Meta(description="The uid of the review.")]
    object_uid: Annotated[str, Meta(description="The uid of the object; empty when the object is not created yet.")]
    resource_version: Annotated[
        str,
        Meta(description="That of the stored object; empty on CREATE. With `objectUid` it tells writes apart."),
    ]
    policy_digest: Annotated[
        str, Meta(description="The set of policies that was in use; it changes when one of them does.")
    ]
    operation: Annotated[
        str, Meta(description="`CREATE` or `UPDATE`; another one is answered, but nothing is evaluated.")
    ]
    group: Annotated[str, Meta(description="The API group of the request.")]
    version: Annotated[str, Meta(description="The API version of the request.")]
    resource: Annotated[str, Meta(description="The plural of the kind.")]
    subresource: Annotated[str, Meta(description="`status`, or empty.")]
    namespace: Annotated[str, Meta(description="The namespace; empty for what is cluster-scoped.")]
    name: Annotated[str, Meta(description="The name; empty when the API server is still to make one (`generateName`).")]
    user: Annotated[str, Meta(description="Who writes: `userInfo.username`.")]
    field_manager: Annotated[
        str, Meta(description="The field manager that the request names; empty when it names none.")
    ]
    request_dry_run: Annotated[bool, Meta(description="The caller's dry-run flag.")]
    outcome: Annotated[str, Meta(description="What happened to the write, or would have happened to it.")]
    reason: Annotated[str, Meta(description="Why, where the outcome does not tell it; empty otherwise.")]
    policies: Annotated[tuple[PolicyEntry, ...], Meta(description="Every policy that matched.")]
    bytes_before: Annotated[int, Meta(description="The status as submitted.")]
    bytes_after: Annotated[
        int,
        Meta(
            description="The status as it passes or, when nothing was enforced, as Warn or DryRun would have left it; "
            "of a rejected write as trimming left it."
        ),
    ]
    object_bytes: Annotated[int, Meta(description="The whole object as stored; on CREATE as submitted.")]
    patch_ops: Annotated[int, Meta(description="Operations of the JSON Patch in the answer.")]
    duration_ms: Annotated[float, Meta(description="Milliseconds from the complete body to the answer.")]
    held_back: Annotated[
        int | UnsetType,
        Meta(description="On a line of a fault or a shed review: those before it that were left out, if any were."),
    ] = UNSET
    unobserved: Annotated[
        int | UnsetType,
        Meta(description="How many policies in Warn and DryRun had no turn to look at this write, if any had none."),
    ] = UNSET
    removed: Annotated[
        tuple[RemovedEntry, ...] | UnsetType,
        Meta(
            description="Only with `--decision-log-values`: what the answer removed or changed, as a JSON Patch that "
            "makes the submitted object of the answered one, but for `metadata.managedFields`. A list that lost "
            "most of its items, and of which others were changed too, is in it whole."
        ),
    ] = UNSET
    removed_left_out: Annotated[
        int | UnsetType,
        Meta(description="How many entries are missing in `removed` for want of room, if any are."),
    ] = UNSET


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


def entry_of(
    answer: Answer,
    decision: Decision,
    instance: str,
    duration: int,
    held_back: int = 0,
    identity: Identity | None = None,
) -> Entry:
    """The entry for an answer that carries a decision. ``duration`` is nanoseconds.

    ``identity`` is that of the object, if it is known already.
    """
    attributes = answer.attributes or _unknown(answer.uid)
    identity = identity or identity_of(attributes)
    return Entry(
        time=rfc3339(answer.at),
        instance=instance,
        phase=answer.phase,
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
        held_back=held_back or UNSET,
        unobserved=decision.unobserved or UNSET,
    )


def _policy_entry(report: PolicyReport) -> PolicyEntry:
    steps = tuple(_step_entry(step) for step in report.steps if step.items or step.reason)
    return PolicyEntry(report.name, report.mode, report.outcome, report.reason, steps)


def _step_entry(step: StepReport) -> StepEntry:
    return StepEntry(step.step, step.path, step.items, step.bytes, step.reason.value)


def _unknown(uid: str) -> Attributes:
    """What is known of a review that could not be decoded."""
    return Attributes(uid, "", "", "", "", "", "", "", submitted=Raw(b"{}"))


def rfc3339(at: int) -> str:
    """Nanoseconds since the epoch as ``2026-01-01T00:00:00.123Z``."""
    seconds, rest = divmod(at, SECOND)
    return f"{_to_the_second(seconds)}.{rest // _MILLISECOND:03}Z"


@lru_cache(maxsize=2)
def _to_the_second(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}"
