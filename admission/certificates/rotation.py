"""From a bundle to the next one, in an order that keeps every leaf trusted that is shown somewhere.

A leaf is replaced after two thirds of its life; its CA stays, so nobody has to know. A CA is followed by another one in
this order: both are in the bundle; the API server is seen to trust both; some minutes later the leaf is one of the new
CA; the old one goes when the last leaf of it has expired. So a replica may sleep for a month at any point of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, TypeAlias

from cryptography import x509

from admission.certificates.bundle import Bundle, Retired
from admission.certificates.issuing import new_authority, new_leaf
from admission.certificates.keypair import KeyPair
from admission.certificates.published import Published
from admission.certificates.validity import due, is_authority, names_in, serves, valid

CA_LIFETIME: Final = timedelta(days=3650)
LEAF_LIFETIME: Final = timedelta(days=90)

SKEW: Final = timedelta(minutes=5)
"""So far the clock of a replica or an API server may be off."""

SETTLING: Final = timedelta(minutes=5) + 2 * SKEW
"""From the sight of both CAs to the first leaf of the new one: every API server knows within seconds, five minutes are
for one that is slow. One replica may look with a clock that is behind, another one switch with one that is ahead."""

GRACE: Final = timedelta(hours=1)
"""Between the end of the last leaf of a CA and the end of trust in it, for clocks that differ."""

LONGEST_TRUST: Final = LEAF_LIFETIME + GRACE
"""A CA that signs no more has no leaf that lives longer."""

_Move: TypeAlias = Callable[[Bundle, Sequence[str], datetime, Published | None], Bundle]


def first(names: Sequence[str], at: datetime, known: Iterable[x509.Certificate] = ()) -> Bundle:
    """A new CA and a leaf of it. The CAs of ``known`` are trusted beside it for as long as they can have leaves."""
    authority = new_authority(at, CA_LIFETIME)
    leaf = new_leaf(authority, names, at, LEAF_LIFETIME)
    return carrying(Bundle(leaf, authority.certificate, authority.key), known, at)


def carrying(bundle: Bundle, known: Iterable[x509.Certificate], at: datetime) -> Bundle:
    """A bundle that also trusts these CAs, for as long as there can be leaves of them."""
    others = {ca for ca in known if is_authority(ca) and valid(ca, at)} - set(bundle.trusted)
    return replace(bundle, retired=(*bundle.retired, *(Retired(ca, at + LONGEST_TRUST) for ca in others)))


def advanced(bundle: Bundle, names: Sequence[str], at: datetime, published: Published | None) -> Bundle:
    """What the bundle has to become now; the same when there is nothing to do.

    ``published`` is what the API server was seen to trust before the bundle was read, None when nobody could see.
    """
    for move in _MOVES:
        bundle = move(bundle, names, at, published)
    return bundle


def with_next(bundle: Bundle, at: datetime) -> Bundle:
    """A bundle with the CA that will sign after this one; the same when it has one."""
    if bundle.next is not None:
        return bundle
    return replace(bundle, next=new_authority(at, CA_LIFETIME), known_since=None)


def with_leaf(bundle: Bundle, names: Sequence[str], at: datetime) -> Bundle:
    """A bundle with a new leaf of the same CA; the same when the key of that is lost.

    It is good for what the old one was good for, too: while a Service gets another name, replicas of both are there.
    """
    if bundle.authority is None:
        return bundle
    others = () if due(bundle.leaf.certificate, at) else names_in(bundle.leaf.certificate)
    leaf = new_leaf(bundle.authority, tuple(dict.fromkeys((*names, *others))), at, LEAF_LIFETIME)
    return replace(bundle, leaf=leaf)


def switched(bundle: Bundle, names: Sequence[str], at: datetime) -> Bundle:
    """A bundle with a leaf of the next CA; the one before is retired. The same when there is no next one."""
    if bundle.next is None:
        return bundle
    until = min(bundle.leaf.certificate.not_valid_after_utc, at + LEAF_LIFETIME) + GRACE
    return Bundle(
        leaf=new_leaf(bundle.next, names, at, LEAF_LIFETIME),
        ca=bundle.next.certificate,
        ca_key=bundle.next.key,
        retired=(*bundle.retired, Retired(bundle.ca, until)),
    )


# --- moves, in their order -------------------------------------------------------------------------------------------


def _forget_bad_next(bundle: Bundle, _: Sequence[str], at: datetime, __: Published | None) -> Bundle:
    """A next CA that is not valid, or soon over itself, is none."""
    if bundle.next is None or not due(bundle.next.certificate, at):
        return bundle
    return replace(bundle, next=None, known_since=None)


def _prepare_next(bundle: Bundle, _: Sequence[str], at: datetime, __: Published | None) -> Bundle:
    return with_next(bundle, at) if bundle.ca_key is None or due(bundle.ca, at) else bundle


def _note_known(bundle: Bundle, _: Sequence[str], at: datetime, published: Published | None) -> Bundle:
    """Note when the API server was first seen to trust the next CA; when it does no more, the wait begins anew."""
    if bundle.next is None or published is None:
        return bundle
    known = published.trusts(bundle.next.certificate)
    if not known:
        return bundle if bundle.known_since is None else replace(bundle, known_since=None)
    in_time = bundle.known_since is not None and bundle.known_since <= at + 2 * SKEW
    return bundle if in_time else replace(bundle, known_since=at)


def _switch(bundle: Bundle, names: Sequence[str], at: datetime, published: Published | None) -> Bundle:
    known = published is not None and bundle.known_since is not None and at - bundle.known_since >= SETTLING
    return switched(bundle, names, at) if known or _is_over(bundle, names, at) else bundle


def _is_over(bundle: Bundle, names: Sequence[str], at: datetime) -> bool:
    """True when nothing that this CA signed can be served: there is nothing to wait for."""
    if bundle.ca_key is not None and valid(bundle.ca, at):
        return False
    return not (valid(bundle.ca, at) and fit(bundle.leaf, names, at))


def _renew_leaf(bundle: Bundle, names: Sequence[str], at: datetime, _: Published | None) -> Bundle:
    leaf = bundle.leaf.certificate
    ends_with_ca = leaf.not_valid_after_utc == bundle.ca.not_valid_after_utc  # a new one would not live longer
    if serves(leaf, names) and (not due(leaf, at) or (ends_with_ca and valid(leaf, at))):
        return bundle
    return with_leaf(bundle, names, at)


def _forget_retired(bundle: Bundle, _: Sequence[str], at: datetime, __: Published | None) -> Bundle:
    """Distrust CAs whose last leaf has expired. A time that nobody can have meant is taken for the longest."""
    longest = at + LONGEST_TRUST + 2 * SKEW
    kept = tuple(
        each if each.until <= longest else replace(each, until=at + LONGEST_TRUST)
        for each in bundle.retired
        if at < min(each.until, each.certificate.not_valid_after_utc + GRACE)
    )
    return bundle if kept == bundle.retired else replace(bundle, retired=kept)


_MOVES: Final[tuple[_Move, ...]] = (
    _forget_bad_next,
    _prepare_next,
    _note_known,
    _switch,
    _renew_leaf,
    _forget_retired,
)


def fit(leaf: KeyPair, names: Sequence[str], at: datetime) -> bool:
    """True for a leaf that can be served now."""
    return valid(leaf.certificate, at) and serves(leaf.certificate, names)
