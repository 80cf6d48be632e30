"""What every step has, and what it tells about its work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

from msgspec import Struct, field

from admission.engine.decision import Reason
from admission.engine.document import Document
from admission.engine.fieldpath import FieldPath
from admission.engine.licence import Licence
from admission.engine.values import List, Trail


class Effect(Struct):
    """What one run of a step did; steps add to it while they work.

    ``inner`` is what the steps inside of it did, one each; their items and bytes are not counted once more.
    """

    ran: bool = False
    found: bool = False
    items: int = 0
    bytes: int = 0
    reason: Reason = Reason.NONE
    put_back: int = 0
    inner: list[Effect] = field(default_factory=list)

    def add(self, other: Effect) -> None:
        """Take in another run of the same step."""
        self.ran = True
        self.found |= other.found
        self.items += other.items
        self.bytes += other.bytes
        self.put_back += other.put_back
        if other.reason or self.reason is Reason.BUDGET_UNREACHABLE:  # a later step may have reached it
            self.reason = other.reason
        self.inner = self.inner or [Effect() for _ in other.inner]
        for mine, others in zip(self.inner, other.inner, strict=True):
            if others.ran:
                mine.add(others)


def removable(
    document: Document, trail: Trail, items: List, oldest_first: Sequence[int], effect: Effect
) -> Sequence[int]:
    """Of items that are to go, the oldest, as many as the schema lets go: ``minItems`` stay (``SchemaRequires``)."""
    demands = document.demands(trail)
    most = len(items) if demands is None else max(0, len(items) - demands.min_items)
    if len(oldest_first) > most:
        effect.reason = Reason.SCHEMA_REQUIRES
    return oldest_first[:most]


def remove(document: Document, trail: Trail, items: List, oldest_first: Sequence[int], effect: Effect) -> None:
    """Remove items, unless appliers would be hurt (``CoOwned``), and take note of it."""
    going = removable(document, trail, items, oldest_first, effect)
    if not going:
        return
    if document.co_owned(trail):
        effect.reason = Reason.CO_OWNED
        return
    effect.items += len(going)
    effect.bytes += document.remove_items(trail, items, going)


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
