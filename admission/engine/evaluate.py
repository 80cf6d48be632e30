"""Put the parts in order: match, trim in rounds, re-check, restore or prune, and word the decision."""

from __future__ import annotations

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision
from admission.engine.policy import PolicySet


def evaluate(policies: PolicySet, attributes: Attributes, now: int) -> Decision:
    """Judge one write. ``now`` is nanoseconds since the epoch.

    Raises:
        DocumentError: an object in the review cannot be read.
    """
    raise NotImplementedError
