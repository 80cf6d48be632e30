"""From whatever is in a Secret to a bundle: what people or accidents made of it is mended, with nothing lost.

What a replica remembers is the best source, since that is served somewhere. Whatever the API server trusts stays
trusted for as long as leaves of it can be served: other replicas may show them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from admission.certificates.bundle import Bundle
from admission.certificates.published import Published
from admission.certificates.rotation import carrying, first
from admission.certificates.secretdata import Reading


def mended(
    reading: Reading, remembered: Bundle | None, names: Sequence[str], at: datetime, published: Published | None
) -> Bundle:
    """The bundle that was read, without what is wrong with it; the same when nothing is.

    ``remembered`` is what a replica read or wrote last, None when it has just started.
    """
    if reading.bundle is not None and not reading.problems:
        return reading.bundle
    known = frozenset() if published is None else published.all_trusted()
    found = _best(reading.bundle, remembered)
    if found is None:
        return first(names, at, known)
    others = () if remembered is None else remembered.trusted
    retired = {} if remembered is None else {each.certificate: each for each in remembered.retired}
    merged = carrying(found, (*others, *known), at)
    return replace(merged, retired=tuple(retired.get(each.certificate, each) for each in merged.retired))


def _best(found: Bundle | None, remembered: Bundle | None) -> Bundle | None:
    """What was found, with what is remembered of its CA; what is remembered where little was found."""
    if found is None or remembered is None:
        return found or remembered
    if found.ca != remembered.ca:
        return found if found.ca_key is not None else remembered
    leafless = found.leaf.certificate == found.ca
    following = found.next or remembered.next
    return replace(
        found,
        leaf=remembered.leaf if leafless else found.leaf,
        ca_key=found.ca_key or remembered.ca_key,
        next=following,
        known_since=found.known_since if found.next is not None else remembered.known_since,
        retired=tuple(each for each in found.retired if following is None or each.certificate != following.certificate),
    )
