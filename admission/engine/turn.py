"""Whose turn it is: the policies that only observe and look at this write, when there is no time for all of them.

An enforced policy is always at work. One that observes works alone on a copy of its own, so a thousand of them would
hold up a write for a second and more. They take turns by the uid of the review: a pure function of it, and over many
reviews each policy looks as often as any other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Final

from admission.engine.attributes import Attributes
from admission.engine.policy import Policy
from admission.engine.verdict import Verdict

BUDGET: Final = 24 * 2**20
"""Bytes that observing policies may read of one write, all together: about 0.1 s, at most 96 policies."""

UNBOUNDED: Final = 2**63 - 1
"""For who has the time."""

_LOOK: Final = 256 * 2**10  # a look costs about a millisecond, in which so many bytes are read
_PLACE: Final = _LOOK // 40  # a text that is cut, or what holds it: 25 µs with the checks


def in_turn(
    policies: Sequence[Policy], attributes: Attributes, budget: int, look: Callable[[Policy], Verdict]
) -> list[tuple[Policy, Verdict]]:
    """What those of some observing policies find that look at this write, in their order; always one.

    What a look costs is known afterwards: who changes thousands of texts leaves less to those who come next.
    """
    if not policies:
        return []
    found: dict[int, Verdict] = {}
    first = _first(policies, attributes, budget)
    for turn in range(len(policies)):
        least = _LOOK + len(attributes.submitted)
        if found and budget < least:
            break
        at = (first + turn) % len(policies)
        found[at] = look(policies[at])
        budget -= max(least, found[at].document.edits.places * _PLACE + len(attributes.submitted))
    return [(policies[at], found[at]) for at in sorted(found)]


def _first(policies: Sequence[Policy], attributes: Attributes, budget: int) -> int:
    """Whose turn it is first."""
    if budget == UNBOUNDED:
        return 0
    return int.from_bytes(sha256(attributes.uid.encode("utf-8", "replace")).digest()[:8]) % len(policies)
