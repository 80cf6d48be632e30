"""One case of a suite: a write at a time, put through the handler, and what must come of it."""

from __future__ import annotations

from dataclasses import dataclass

from admission.engine.decision import Outcome
from admission.engine.evaluate import evaluate as evaluate_by_engine
from admission.engine.policy import PolicySet
from admission.handler import Evaluate
from admission.offline.expectation import Expectation, Failure, always
from admission.offline.rehearsal import Rehearsal, rehearse
from admission.offline.write import Write


@dataclass(frozen=True, slots=True)
class Case:
    """``now`` is nanoseconds since the epoch; ``source`` is ``file:line``."""

    name: str
    source: str
    now: int
    write: Write
    expect: Expectation


@dataclass(frozen=True, slots=True)
class CaseResult:
    """How a case went; it passed when there is no failure."""

    name: str
    source: str
    failures: tuple[Failure, ...] = ()

    @property
    def passed(self) -> bool:
        """True when everything that was expected holds."""
        return not self.failures


def run_case(case: Case, policies: PolicySet, evaluate: Evaluate = evaluate_by_engine) -> CaseResult:
    """Put a case through the real handler and compare. ``evaluate`` is the engine; tests pass one that is wrong.

    Raises:
        ReviewError: the case makes no review that could be answered.
    """
    rehearsal = rehearse(policies, case.write, case.now, evaluate)
    rewritten = _rewritten(rehearsal)
    again = None if rewritten is None else rehearse(policies, rewritten, case.now, evaluate)
    failures = (
        *case.expect.failures(rehearsal, tuple(dict.fromkeys(policy.root for policy in policies.policies))),
        *always(rehearsal, again),
    )
    expects_a_fault = case.expect.outcome is Outcome.SKIPPED
    return CaseResult(
        case.name, case.source, tuple(each for each in failures if not (expects_a_fault and each.what == "fault"))
    )


def _rewritten(rehearsal: Rehearsal) -> Write | None:
    """The result, written again as the controller would that read it back; nothing to repeat after a rejection."""
    if rehearsal.broken or rehearsal.code is not None:
        return None
    return rehearsal.write.rewritten(rehearsal.result)
