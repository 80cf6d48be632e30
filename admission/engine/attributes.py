"""The facts of one request that the engine judges by."""

from __future__ import annotations

from typing import Final

from msgspec import Raw, Struct
from msgspec.structs import replace

from admission.engine.values import Object

STATUS: Final = "status"


class Attributes(Struct, frozen=True):
    """What an AdmissionReview tells about a write.

    ``submitted`` and ``stored`` are the bytes of ``request.object`` and ``request.oldObject``. ``request_dry_run``
    is the caller's flag; it changes nothing in the verdict. ``field_manager`` is that of the request's options: empty
    when an update names none (an apply always does), None when the review has no options. ``compact`` promises that
    the bytes are in Go's form (no blanks, HTML escaped), as the API server sends them, so that a length is a stored
    size. ``opened`` are values that were decoded on the way, each with its members, which are not to be changed.
    """

    uid: str
    operation: str
    group: str
    version: str
    resource: str
    subresource: str
    name: str
    namespace: str
    submitted: Raw
    stored: Raw | None = None
    kind: str = ""
    user: str = ""
    field_manager: str | None = None
    request_dry_run: bool = False
    compact: bool = False
    opened: tuple[tuple[Raw, Object], ...] = ()

    def closed(self) -> Attributes:
        """The same without what was decoded on the way, which keeps the whole body of the review in memory."""
        return replace(self, opened=()) if self.opened else self

    @property
    def endpoint(self) -> str:
        """The resource as a rule names it: ``jobs/status`` or ``jobs``."""
        return f"{self.resource}/{self.subresource}" if self.subresource else self.resource

    @property
    def on_status(self) -> bool:
        """True for a write to the status subresource, where everything but the status is ignored."""
        return self.subresource == STATUS
