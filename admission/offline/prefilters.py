"""Which writes a registration has sent, told to people."""

from __future__ import annotations

from collections.abc import Iterator

from admission.engine.policy import PolicySet
from admission.offline.render import Registration, filters_of
from admission.prefilter import Filter, need_of_limits


def explained(policies: PolicySet) -> Iterator[str]:
    """Lines for each webhook: the expression of its pre-filter, or why every write is sent."""
    for registration, found in filters_of(policies).items():
        yield from _explained(registration.name, registration, found)
    for registration, found in filters_of(policies.rejecting, need_of_limits).items():
        yield from _explained(registration.limits_name, registration, found)


def _explained(name: str, registration: Registration, found: Filter) -> Iterator[str]:
    of = f"{registration.endpoint} of {registration.group or 'the core group'}"
    if found.expression is None:
        yield f"{name}: every write of {of} is sent, for CEL cannot decide:"
        yield from (f"  {reason}" for reason in found.reasons)
    else:
        yield f"{name}: a write of {of} is sent when"
        yield from (f"  {line}" for line in found.expression.replace(" || (", "\n|| (").splitlines())
