"""A review that asks: bytes to :class:`Attributes`.

Only the envelope is read; ``object`` and ``oldObject`` stay the bytes they came in.
"""

from __future__ import annotations

from typing import Final, cast

import msgspec
from msgspec import Raw, Struct

from admission.engine.attributes import Attributes
from admission.engine.values import NULL, Object
from admission.errors import ReviewError

API_VERSION: Final = "admission.k8s.io/v1"
KIND: Final = "AdmissionReview"

_WRITTEN_BY_THE_API_SERVER: Final = f'{{"kind":"{KIND}","apiVersion":"{API_VERSION}","request":{{"uid":"'.encode()
_SEPARATORS: Final = ("\u2028".encode(), "\u2029".encode())


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
