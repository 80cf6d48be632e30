"""What policies make of one write, before any mode is applied."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from admission.engine.decision import Op, Outcome, PolicyReport, Reason, Violation
from admission.engine.document import Document
from admission.engine.limits import Excess
from admission.engine.measure import stored_size
from admission.engine.ownership import bytes_saved, with_managed_fields
from admission.engine.policy import Policy


class Verdict(Struct):
    """What a set of policies makes of one write, before any mode is applied.

    ``judged`` are the policies whose limits hold for the result; ``pruning`` is the part of the patch that changes its
    ``managedFields``; ``excess`` is what is above a limit.
    """

    outcome: Outcome
    document: Document
    reports: tuple[PolicyReport, ...] = ()
    patch: tuple[Op, ...] = ()
    violations: tuple[Violation, ...] = ()
    reason: Reason = Reason.NONE
    judged: Sequence[Policy] = ()
    pruning: Sequence[Op] = ()
    excess: tuple[Excess, ...] = ()

    @property
    def pruned(self) -> int:
        """Bytes that the answer takes from the ``managedFields``; less than 0 when it gives back more.

        A write that is made a no-op has those that are stored.
        """
        if self.outcome is Outcome.SUPPRESSED:
            sent, stored = self.document.ownership.raw, self.document.stored_ownership.raw
            return (0 if sent is None else stored_size(sent)) - (0 if stored is None else stored_size(stored))
        return bytes_saved(self.document.ownership, self.pruning)

    @property
    def rejection(self) -> Excess | None:
        """The first excess that rejects the write."""
        return next((excess for excess in self.excess if excess.rejects), None)

    def copy(self) -> Document:
        """A fresh working copy of the object as this verdict lets it pass, with the owners that it leaves."""
        if self.outcome is Outcome.SUPPRESSED:
            owners = self.document.stored_ownership.raw
        elif self.pruning:
            owners = self.document.ownership.after(self.pruning)
        else:
            return self.document.fork()
        return self.document.fork(with_managed_fields(self.document.object, owners))
