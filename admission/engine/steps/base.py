"""What every step has, and what it tells about its work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

from admission.engine.decision import Reason
from admission.engine.document import Document
from admission.engine.fieldpath import FieldPath
from admission.engine.licence import Licence


@dataclass(slots=True)
class Effect:
    """What one run of a step did; steps add to it while they work."""

    found: bool = False
    items: int = 0
    bytes: int = 0
    reason: Reason = Reason.NONE


class Step(Protocol):
    """One entry of ``trim``."""

    kind: ClassVar[str]
    """The key in the policy file (``capList``)."""

    @property
    def paths(self) -> tuple[FieldPath, ...]:
        """The paths that the step works on."""
        ...

    @property
    def licence(self) -> Licence:
        """What the step may change."""
        ...

    def apply(self, document: Document, now: int) -> Effect:
        """Change the document. ``now`` is nanoseconds since the epoch."""
        ...
