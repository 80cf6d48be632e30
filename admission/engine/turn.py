"""Whose turn it is: the policies that only observe and look at this write, when there is no time for all of them.

An enforced policy is always at work. One that observes works alone on a copy of its own, so a thousand of them would
hold up a write for a second and more. They take turns by the uid of the review: a pure function of it, and over many
reviews each policy looks as often as any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from admission.engine.attributes import Attributes
from admission.engine.policy import Policy

BUDGET: Final = 24 * 2**20
"""Bytes that observing policies may read of one write, all together: about 0.1 s, at most 96 policies."""

UNBOUNDED: Final = 2**63 - 1
"""For who has the time."""

_LOOK: Final = 256 * 2**10  # a look costs about a millisecond, in which so many bytes are read


def turn_of(policies: Sequence[Policy], attributes: Attributes, budget: int) -> Sequence[Policy]:
    """Those of some observing policies that look at this write, in their order; always one."""
    most = max(1, budget // (_LOOK + len(attributes.submitted)))
    if len(policies) <= most:
        return policies
    first = int.from_bytes(sha256(attributes.uid.encode("utf-8", "replace")).digest()[:8]) % len(policies)
    return [policy for at, policy in enumerate(policies) if (at - first) % len(policies) < most]
