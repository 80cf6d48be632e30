"""A review that answers: a :class:`Decision` to bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from admission.engine.decision import Decision, Op, Outcome
from admission.errors import DocumentError
from admission.review.request import API_VERSION, KIND

JSON_PATCH: Final = "JSONPatch"

_TOO_LARGE: Final = 413
_TOO_LARGE_REASON: Final = "RequestEntityTooLarge"
_ENCODER: Final = msgspec.json.Encoder()


class _Op(Struct):
    op: str
    path: str
    value: Raw | UnsetType = UNSET


class _Status(Struct):
    code: int
    reason: str
    message: str


class _Response(Struct, rename="camel", omit_defaults=True):
    uid: str
    allowed: bool
    patch_type: str = ""
    patch: bytes = b""  # msgspec writes bytes as base64, as the API server reads them
    status: _Status | None = None
    warnings: Sequence[str] = ()
    audit_annotations: dict[str, str] | None = None


class _Answer(Struct, rename="camel"):
    response: _Response
    kind: str = KIND
    api_version: str = API_VERSION


def encode_answer(uid: str, decision: Decision) -> bytes:
    """The AdmissionReview that answers a request with a decision."""
    if decision.outcome is Outcome.REJECTED:
        response = rejected(uid, decision)
    elif decision.patch:
        response = patched(uid, decision)
    else:
        response = allowed(uid, decision)
    return _ENCODER.encode(_Answer(response))


def allowed(uid: str, decision: Decision) -> _Response:
    """Let the write pass as it is. Without a patch the API server counts the call as "not mutated"."""
    return _Response(uid, allowed=True, warnings=decision.warnings or (), audit_annotations=audit_annotations(decision))


def patched(uid: str, decision: Decision) -> _Response:
    """Let the write pass with the decision's patch."""
    return _Response(
        uid,
        allowed=True,
        patch_type=JSON_PATCH,
        patch=encode_patch(decision.patch),
        warnings=decision.warnings or (),
        audit_annotations=audit_annotations(decision),
    )


def rejected(uid: str, decision: Decision) -> _Response:
    """Refuse the write as too large.

    413 with a reason keeps the webhook's name and the message in kubectl's output; 422 with causes hides both, 409
    makes clients spin, and ``retryAfterSeconds`` makes them call eleven times.
    """
    return _Response(
        uid,
        allowed=False,
        status=_Status(_TOO_LARGE, _TOO_LARGE_REASON, decision.message),
        warnings=decision.warnings or (),
        audit_annotations=audit_annotations(decision),
    )


def audit_annotations(decision: Decision) -> dict[str, str] | None:
    """What the audit log keeps of a decision; None when no policy matched.

    The API server prefixes each key with the webhook's name and drops keys of more than 63 characters or with a slash.
    """
    if not decision.policies:
        return None
    removed = decision.bytes_before - decision.bytes_after if decision.patch else 0
    return {
        "outcome": decision.outcome,
        "policies": ",".join(report.name for report in decision.policies),
        "bytes-removed": str(max(0, removed)),
    }


def encode_patch(ops: Sequence[Op]) -> bytes:
    """Operations as an RFC 6902 document; values are the bytes they came in, never decoded again.

    Raises:
        DocumentError: one of them holds bytes that are no UTF-8.
    """
    patch = _ENCODER.encode([_Op(op.op, op.path, UNSET if op.value is None else Raw(op.value)) for op in ops])
    if not patch.isascii():
        _refuse_bad_text(patch)
    return patch


def _refuse_bad_text(patch: bytes) -> None:
    """Nobody but the API server knows what it would make of such a patch, and it never sends what leads to one."""
    try:
        patch.decode()
    except UnicodeDecodeError as error:
        raise DocumentError("an object of the review holds bytes that are no UTF-8") from error
