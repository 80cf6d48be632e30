"""What the first and the last bytes of a review tell, when all of it is not to be had."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from admission.engine.attributes import Attributes
from admission.errors import ReviewError
from admission.review.request import decode

PREFIX_SIZE: Final = 8 * 1024
"""Bytes in which a uid is looked for when a body cannot be decoded: from the API server it starts near byte 80."""

TAIL_SIZE: Final = 1024
"""Bytes in which the members behind the objects are looked for: the caller's dry-run flag and its options."""

_UID: Final = re.compile(rb'"request"\s*:\s*\{\s*"uid"\s*:\s*"([ !#-\[\]-~]{1,128})"')
_FIRST_OBJECT: Final = re.compile(rb',"(?:object|oldObject)":')
_BEHIND_OBJECTS: Final = re.compile(rb',"dryRun":(?:true|false)(?=[,}])')


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
