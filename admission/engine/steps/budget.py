"""Steps that run others as far as they are needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from admission.engine.decision import Reason
from admission.engine.document import Document
from admission.engine.fieldpath import FieldPath
from admission.engine.licence import Licence
from admission.engine.ownership import bytes_saved, prune_operations
from admission.engine.sides import Of, Result
from admission.engine.steps.base import Effect

if TYPE_CHECKING:
    from admission.engine.policy import Trim


@dataclass(frozen=True, slots=True)
class Budget:
    """Runs ``steps`` in their order until the root, or the whole object, takes at most ``max_bytes``; then it stops.

    When all of them have run and it still does not fit, what they cut stays cut (reason ``BudgetUnreachable``). Sizes
    are bytes as stored. On a ``/status`` write the object is the stored one with this status in place of its own.
    """

    kind: ClassVar[str] = "budget"

    max_bytes: int
    of: Of
    steps: tuple[Trim, ...]

    @property
    def paths(self) -> tuple[FieldPath, ...]:
        """Those of all its steps."""
        return tuple(dict.fromkeys(path for entry in self.steps for path in entry.step.paths))

    @property
    def licence(self) -> Licence:
        """What any of its steps may change."""
        return Licence.union(entry.step.licence for entry in self.steps)

    def apply(self, document: Document, now: int) -> Effect:
        """Run the steps that are needed."""
        effect = Effect(inner=[Effect() for _ in self.steps])
        scales = _Scales(document, self.of, self.max_bytes)
        effect.found = scales.fits()
        for entry, inner in zip(self.steps, effect.inner, strict=True):
            if scales.fits():
                return effect
            if not entry.when or document.meets(entry.when, now):
                inner.add(entry.step.apply(document, now))
                effect.found |= inner.found
        if not scales.fits():
            effect.reason = Reason.BUDGET_UNREACHABLE
        return effect


class _Scales:
    """Says whether a document fits, and encodes it only when what was saved so far tells that it may."""

    def __init__(self, document: Document, of: Of, most: int) -> None:
        self._document = document
        self._of = of
        self._most = most
        self._size: int | None = None
        self._saved = document.saved
        self._prunable = self._managed() if of is Of.OBJECT else 0

    def fits(self) -> bool:
        """True when the document takes at most so many bytes: exact, whatever was saved since it was measured."""
        if self._size is not None and self._size > self._most:
            size = self._size - (self._document.saved - self._saved)
            if size - self._prunable > self._most:
                return False
        self._size, self._saved = self._measured(), self._document.saved
        return self._size <= self._most

    def _measured(self) -> int:
        document = self._document
        size = Result(document, document.root).size(self._of, self._most)
        if size <= self._most or size - self._prunable > self._most or not document.changed:
            return size
        return size - self._pruned()

    def _pruned(self) -> int:
        """What goes from the ``managedFields`` with what was removed so far."""
        ownership = self._document.ownership
        operations = prune_operations(ownership.pruned(self._document.edits, self._document.object))
        return bytes_saved(ownership, operations)

    def _managed(self) -> int:
        """The most that pruning may take: nothing where the API server takes the stored ``managedFields``."""
        if self._document.on_status and self._document.stored is not None:
            return 0
        managed = self._document.ownership.raw
        return 0 if managed is None else self._document.size(managed)
