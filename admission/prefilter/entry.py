"""The pre-filter of one entry of a webhook configuration, for all policies that it is for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from admission.engine.policy import Policy
from admission.prefilter.condition import Need, Undecided, need_of
from admission.prefilter.guarded import Cel, any_of

CONDITION: Final = "statuscap.dev/has-something-to-do"
"""The name of the condition."""

LONGEST: Final = 16_384
"""Characters of an expression. The API server compiles it at every change of the configuration."""

DEAREST: Final = 500_000
"""What an expression may cost by our estimate: half of what fails in the API server, where nobody would be called."""


@dataclass(frozen=True, slots=True)
class Filter:
    """A CEL expression without which the webhook is not called; None, and then why not, where every write is sent."""

    expression: str | None
    reasons: tuple[str, ...] = ()

    def conditions(self) -> list[dict[str, str]]:
        """The ``matchConditions`` of the entry."""
        return [] if self.expression is None else [{"name": CONDITION, "expression": self.expression}]


def filter_of(policies: Iterable[Policy], need: Callable[[Policy], Need] = need_of) -> Filter:
    """The filter for some policies: one that nobody can decide about has every write sent."""
    needs = [(policy.name, need(policy)) for policy in policies]
    reasons = tuple(f"policy {name}: {found.reason}" for name, found in needs if isinstance(found, Undecided))
    if reasons:
        return Filter(None, reasons)
    whole = any_of(found for _, found in needs if isinstance(found, Cel))
    if len(whole.text) > LONGEST:
        return Filter(None, (f"{len(needs)} policies make an expression of {len(whole.text)} characters",))
    if whole.cost > DEAREST:
        return Filter(None, (f"{len(needs)} policies look into so many lists that the API server could give up",))
    return Filter(whole.text)
