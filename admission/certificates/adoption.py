"""Which leaf a replica shows: the one of the bundle, unless the API server would not trust it yet."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from admission.certificates.bundle import Bundle
from admission.certificates.keypair import KeyPair
from admission.certificates.published import Published
from admission.certificates.rotation import fit
from admission.certificates.validity import issued_by, issuer_among


def leaf_to_show(
    shown: KeyPair | None, bundle: Bundle, names: Sequence[str], at: datetime, published: Published | None
) -> KeyPair:
    """The leaf of the bundle, or the one that is ``shown`` while only that is trusted.

    A bundle switches to a new CA when the API server trusts it. Should somebody have put an old caBundle back since,
    the old leaf goes on until that is mended.
    """
    if shown is None or not fit(shown, names, at):
        return bundle.leaf
    if issued_by(shown.certificate, bundle.ca) or issuer_among(shown.certificate, bundle.trusted) is None:
        return bundle.leaf
    known = published is not None and published.trusts(bundle.ca)
    return bundle.leaf if known else shown
