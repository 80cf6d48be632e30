"""The verdict on one write, and how it came about."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from msgspec import Struct


class Outcome(StrEnum):
    """What happens (or, in Warn and DryRun, would have happened) to a write."""

    UNCHANGED = "Unchanged"
    TRIMMED = "Trimmed"
    SUPPRESSED = "Suppressed"
    REJECTED = "Rejected"
    SKIPPED = "Skipped"
    WOULD_TRIM = "WouldTrim"
    WOULD_SUPPRESS = "WouldSuppress"
    WOULD_REJECT = "WouldReject"


WOULD: Final = {
    Outcome.TRIMMED: Outcome.WOULD_TRIM,
    Outcome.SUPPRESSED: Outcome.WOULD_SUPPRESS,
    Outcome.REJECTED: Outcome.WOULD_REJECT,
}
"""The outcome to report when the mode does not enforce."""

STRENGTH: Final = (Outcome.WOULD_REJECT, Outcome.WOULD_SUPPRESS, Outcome.WOULD_TRIM)
"""Strongest first: which outcome of several observed policies stands for the whole."""


class Reason(StrEnum):
    """Why an outcome is what it is; always shown."""

    NONE = ""
    NO_POLICY = "NoPolicy"
    EQUAL_AFTER_TRIMMING = "EqualAfterTrimming"
    WITHIN_STALENESS = "WithinStaleness"
    CAP_UNREACHABLE = "CapUnreachable"
    CO_OWNED = "CoOwned"
    SCHEMA_REQUIRES = "SchemaRequires"
    SCHEMA_UNKNOWN = "SchemaUnknown"
    BUDGET_UNREACHABLE = "BudgetUnreachable"
    ABOVE_LIMIT = "AboveLimit"
    WHEN_NOT_MET = "WhenNotMet"
    OUTSIDE_ROLLOUT = "OutsideRollout"
    INVARIANT_VIOLATED = "InvariantViolated"
    FAULT = "Fault"
    SHED = "Shed"


class Op(Struct, frozen=True):
    """One JSON Patch operation: ``add``, ``replace`` or ``remove``. ``value`` is JSON bytes, absent for ``remove``."""

    op: str
    path: str
    value: bytes | None = None


class StepReport(Struct, frozen=True, rename="camel"):
    """What one step of a policy did. ``items`` were removed, cut, dropped or put back (``put_back`` of them).

    ``bytes`` is what that saves, as stored; what is put back saves nothing by itself.

    ``found`` tells whether the step's path led anywhere (a path that never does is a typo), None that it did not run.
    """

    step: str
    path: str
    found: bool | None = None
    items: int = 0
    bytes: int = 0
    reason: Reason = Reason.NONE
    put_back: int = 0


class PolicyReport(Struct, frozen=True):
    """What one matching policy did, or would have done. Only enforced policies have the plain outcomes.

    ``max_staleness`` (nanoseconds) says of a write that was, or would have been, held back by rules how long that may
    last, and ``news`` of one that these rules let pass that it differs from what is stored.
    """

    name: str
    mode: str
    outcome: Outcome
    reason: Reason = Reason.NONE
    steps: tuple[StepReport, ...] = ()
    max_staleness: int | None = None
    news: bool = False

    @property
    def bytes_removed(self) -> int:
        """Bytes that the steps saved, as stored."""
        return sum(step.bytes for step in self.steps)

    @property
    def items(self) -> int:
        """Items that the steps removed, cut or dropped."""
        return sum(step.items - step.put_back for step in self.steps)

    @property
    def put_back(self) -> int:
        """Texts that became what is stored."""
        return sum(step.put_back for step in self.steps)


@dataclass(frozen=True, slots=True)
class Violation:
    """An invariant that a policy's steps would have broken; that policy was left out."""

    invariant: str
    policy: str
    detail: str
    step: str = ""


class Decision(Struct, frozen=True):
    """The verdict. ``patch`` is empty unless an enforced policy changed something.

    ``bytes_before`` and ``bytes_after`` measure the root (the status) as stored; without an enforced change
    ``bytes_after`` is what the strongest observed policy would have left. ``object_bytes`` is the size of the stored
    object (of the submitted one on CREATE): what a suppressed write saves. ``message`` is the one line that a writer
    whose write is rejected gets to read, or would have got. ``unobserved`` policies that only observe had no turn.
    """

    outcome: Outcome
    reason: Reason = Reason.NONE
    policies: tuple[PolicyReport, ...] = ()
    patch: tuple[Op, ...] = ()
    bytes_before: int = 0
    bytes_after: int = 0
    object_bytes: int = 0
    warnings: tuple[str, ...] = ()
    violations: tuple[Violation, ...] = ()
    message: str = ""
    unobserved: int = 0


def unchanged(reason: Reason = Reason.NONE) -> Decision:
    """Allow the write as it is."""
    return Decision(Outcome.UNCHANGED, reason)


def skipped(reason: Reason) -> Decision:
    """Allow the write unevaluated: a fault of ours, or overload."""
    return Decision(Outcome.SKIPPED, reason)
