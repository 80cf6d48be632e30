"""Which policies make the engine fail on a write."""

from __future__ import annotations

from collections.abc import Iterator

from admission.engine.attributes import Attributes
from admission.engine.policy import PolicySet
from admission.handler import Evaluate


def culprits(policies: PolicySet, attributes: Attributes, at: int, evaluate: Evaluate) -> Iterator[str]:
    """The names of those with which the engine fails although they are alone. ``at`` is when the write was judged."""
    for policy in policies.matching(attributes):
        try:
            evaluate(PolicySet.of([policy], policies.schemas), attributes, at)
        except Exception:  # whatever it is: it was told when the write was judged
            yield policy.name
