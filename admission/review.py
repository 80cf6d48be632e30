"""AdmissionReview ``admission.k8s.io/v1`` on the wire: bytes to :class:`Attributes`, a :class:`Decision` to bytes.

Of a request only the envelope is read; ``object`` and ``oldObject`` stay the bytes they came in. The source of every
shape is ``k8s.io/api/admission/v1``; what the API server makes of an answer is in
``k8s.io/apiserver/pkg/admission/plugin/webhook/request/admissionreview.go``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision, Op, Outcome
from admission.engine.values import NULL, Object
from admission.errors import DocumentError, ReviewError

API_VERSION: Final = "admission.k8s.io/v1"
KIND: Final = "AdmissionReview"
JSON_PATCH: Final = "JSONPatch"

PREFIX_SIZE: Final = 8 * 1024
"""Bytes in which a uid is looked for when a body cannot be decoded: from the API server it starts near byte 80."""

TAIL_SIZE: Final = 1024
"""Bytes in which the members behind the objects are looked for: the caller's dry-run flag and its options."""

_WRITTEN_BY_THE_API_SERVER: Final = f'{{"kind":"{KIND}","apiVersion":"{API_VERSION}","request":{{"uid":"'.encode()
_SEPARATORS: Final = ("\u2028".encode(), "\u2029".encode())
_UID: Final = re.compile(rb'"request"\s*:\s*\{\s*"uid"\s*:\s*"([ !#-\[\]-~]{1,128})"')
_FIRST_OBJECT: Final = re.compile(rb',"(?:object|oldObject)":')
_BEHIND_OBJECTS: Final = re.compile(rb',"dryRun":(?:true|false)(?=[,}])')
_TOO_LARGE: Final = 413
_TOO_LARGE_REASON: Final = "RequestEntityTooLarge"


# --- in --------------------------------------------------------------------------------------------------------------


class _Kind(Struct, frozen=True):
    kind: str = ""


class _Resource(Struct):
    group: str = ""
    version: str = ""
    resource: str = ""


class _UserInfo(Struct, frozen=True):
    username: str = ""


class _Options(Struct, rename="camel"):
    field_manager: str = ""


class _Call(Struct, rename="camel"):
    uid: str
    resource: _Resource
    operation: str
    kind: _Kind = _Kind()
    sub_resource: str = ""
    name: str = ""
    namespace: str = ""
    user_info: _UserInfo = _UserInfo()
    request_dry_run: bool | None = msgspec.field(name="dryRun", default=None)
    options: _Options | None = None


class _Request(_Call, rename="camel"):
    submitted: Raw = msgspec.field(name="object", default=NULL)
    stored: Raw = msgspec.field(name="oldObject", default=NULL)


class _OpenedRequest(_Call, rename="camel"):
    submitted: dict[str, Raw] | None = msgspec.field(name="object", default=None)
    stored: dict[str, Raw] | None = msgspec.field(name="oldObject", default=None)


class _Review(Struct, rename="camel"):
    kind: str = ""
    api_version: str = ""
    request: _Request | None = None


class _OpenedReview(Struct, rename="camel"):
    kind: str = ""
    api_version: str = ""
    request: _OpenedRequest | None = None


_DECODER: Final = msgspec.json.Decoder(_Review)
_OPENING_DECODER: Final = msgspec.json.Decoder(_OpenedReview)
_ENCODER: Final = msgspec.json.Encoder()


def decode(body: bytes) -> Attributes:
    """Read the envelope of a review.

    An absent ``object`` (a DELETE) comes out as ``null``, an absent ``oldObject`` as None.

    Raises:
        ReviewError: the body is no AdmissionReview of ``admission.k8s.io/v1`` with a request and a uid.
        RecursionError: something in the body is nested deeper than the decoder goes (about 1,000 levels).
    """
    if not body:
        raise ReviewError("the body is empty; expected an AdmissionReview")
    compact = is_compact(body)
    try:
        review = (_opened(body) if compact else None) or _DECODER.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ReviewError(f"the body is no AdmissionReview: {error}") from error
    if review.kind != KIND or review.api_version != API_VERSION:
        raise ReviewError(f"the body is no {KIND} of {API_VERSION}")
    if review.request is None or not review.request.uid:
        raise ReviewError("the AdmissionReview has no request with a uid")
    return _attributes(review.request, compact=compact)


def _opened(body: bytes) -> _OpenedReview | None:
    """A review in Go's form, its objects opened one level on the way: that spares the engine a pass over each.

    None when an object is none, or has members that would not be written as they were.
    """
    try:
        review = _OPENING_DECODER.decode(body)
    except msgspec.ValidationError:
        return None
    request = review.request
    if request is None:
        return review
    names = "".join((*(request.submitted or ()), *(request.stored or ())))
    return review if not names or (names.isascii() and names.isalnum()) else None


def is_compact(body: bytes) -> bool:
    """True when a body is as the API server writes it, so that its values are in Go's compact form.

    It starts exactly so, and nothing in it is written as Go would not: a search of the bytes costs next to nothing.
    """
    if not body.startswith(_WRITTEN_BY_THE_API_SERVER) or b"<" in body or b">" in body or b"&" in body:
        return False
    return b"\xe2" not in body or not any(mark in body for mark in _SEPARATORS)  # one byte is found much faster


def uid_in_prefix(body: bytes) -> str | None:
    """The uid of a review that cannot be decoded, from its first bytes; None when it is not there.

    The API server writes ``uid`` as the first member of ``request``, before anything that a user can fill.
    """
    found = _UID.search(body, 0, PREFIX_SIZE)
    return None if found is None else found[1].decode("ascii")


@dataclass(frozen=True, slots=True)
class Ends:
    """What was kept of a body: its first :data:`PREFIX_SIZE` bytes and its last :data:`TAIL_SIZE`; they may overlap."""

    head: bytes
    tail: bytes

    @classmethod
    def of(cls, body: bytes) -> Ends:
        """The ends of a body, at a cost that does not grow with it."""
        return cls(body[:PREFIX_SIZE], body[-TAIL_SIZE:])


def decode_ends(ends: Ends) -> Attributes:
    """Read the envelope of a review from its ends: ``object`` is ``null`` and ``oldObject`` None, the rest is right.

    It relies on the order in which the API server writes (``AdmissionRequest`` in ``k8s.io/api/admission/v1``): only
    ``dryRun`` and ``options`` come behind the objects. A quote within a value is escaped, so that no value looks like
    a member; where one inside of ``userInfo.extra`` is named ``object``, what is put together here is no JSON.

    Raises:
        ReviewError: the ends are not written like that, or are too short for it.
    """
    before = _FIRST_OBJECT.search(ends.head)
    if before is None:
        raise ReviewError("the first bytes of the body hold no whole envelope")
    behind = [found.start() for found in _BEHIND_OBJECTS.finditer(ends.tail)]
    return decode(ends.head[: before.start()] + (ends.tail[behind[-1] :] if behind else b"}}"))


def _attributes(request: _Request | _OpenedRequest, *, compact: bool) -> Attributes:
    submitted, stored = _sealed(request.submitted), _sealed(request.stored)
    opened = ((submitted, request.submitted), (stored, request.stored))
    return Attributes(
        uid=request.uid,
        operation=request.operation,
        group=request.resource.group,
        version=request.resource.version,
        resource=request.resource.resource,
        subresource=request.sub_resource,
        name=request.name,
        namespace=request.namespace,
        submitted=submitted,
        stored=None if stored == NULL else stored,
        kind=request.kind.kind,
        user=request.user_info.username,
        field_manager=None if request.options is None else request.options.field_manager,
        request_dry_run=bool(request.request_dry_run),
        compact=compact,
        opened=tuple((raw, cast("Object", members)) for raw, members in opened if type(members) is dict),
    )


def _sealed(value: Raw | dict[str, Raw] | None) -> Raw:
    """The bytes of an object as it came in."""
    if type(value) is dict:
        return Raw(_ENCODER.encode(value))
    return NULL if value is None else value  # type: ignore[return-value]  # no dict any more


# --- out -------------------------------------------------------------------------------------------------------------


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
