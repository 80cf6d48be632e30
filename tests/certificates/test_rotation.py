"""What a bundle becomes. Whole lives of it, with several replicas, are among the tests of the keeper."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from admission.certificates.bundle import Bundle, Retired
from admission.certificates.issuing import new_authority, new_leaf
from admission.certificates.keypair import KeyPair
from admission.certificates.rotation import (
    CA_LIFETIME,
    GRACE,
    LEAF_LIFETIME,
    LONGEST_TRUST,
    SETTLING,
    SKEW,
    advanced,
    carrying,
    first,
    fit,
    switched,
    with_leaf,
    with_next,
)
from admission.certificates.validity import issued_by, names_in
from tests.certificates.sample import DAY, NAMES, NOW, authority, bundle, publishing


def waiting(known_for: timedelta | None) -> Bundle:
    """A bundle whose next CA has been known for so long."""
    return replace(with_next(bundle(), NOW), known_since=None if known_for is None else NOW - known_for)


def test_the_first_bundle_is_a_ca_of_ten_years_and_a_leaf_of_ninety_days() -> None:
    ca, leaf = bundle().ca, bundle().leaf.certificate
    assert ca.not_valid_after_utc - NOW == timedelta(days=3650)
    assert leaf.not_valid_after_utc - NOW == timedelta(days=90)
    assert issued_by(leaf, ca)
    assert names_in(leaf) == NAMES


def test_there_is_nothing_to_do_with_a_fresh_bundle() -> None:
    assert advanced(bundle(), NAMES, NOW + DAY, publishing(bundle().trusted_pem)) is bundle()
    assert advanced(bundle(), NAMES, NOW + DAY, None) is bundle()


def test_only_cas_that_are_valid_are_carried_on() -> None:
    expired = new_authority(NOW - 10 * DAY, DAY).certificate
    carried = carrying(bundle(), [authority().certificate, expired, bundle().leaf.certificate, bundle().ca], NOW)
    assert carried.retired == (Retired(authority().certificate, NOW + LONGEST_TRUST),)


@pytest.mark.parametrize(
    ("known_for", "switches"),
    [
        pytest.param(None, False, id="not known yet"),
        pytest.param(SETTLING - timedelta(seconds=1), False, id="not for long enough"),
        pytest.param(SETTLING, True, id="for long enough"),
        pytest.param(-2 * SKEW - timedelta(seconds=1), False, id="since a time to come"),
    ],
)
def test_a_leaf_of_the_next_ca_comes_when_that_is_known_for_some_minutes(
    known_for: timedelta | None, switches: bool
) -> None:
    before = waiting(known_for)
    after = advanced(before, NAMES, NOW, publishing(before.trusted_pem))
    assert (after.ca != before.ca) is switches
    if not switches:
        assert after.known_since == (NOW if known_for is None or known_for < timedelta() else before.known_since)


@pytest.mark.parametrize(
    "published",
    [pytest.param(publishing(bundle().trusted_pem), id="the old CA alone"), pytest.param(publishing(b""), id="none")],
)
def test_a_next_ca_that_is_trusted_no_more_has_to_wait_anew(published: object) -> None:
    after = advanced(waiting(DAY), NAMES, NOW, published)  # type: ignore[arg-type]
    assert (after.ca, after.known_since) == (bundle().ca, None)


def test_what_cannot_be_seen_is_left_as_it_was() -> None:
    before = waiting(DAY)
    assert advanced(before, NAMES, NOW, None) is before


def test_a_ca_whose_leaf_cannot_be_served_any_more_is_not_waited_for() -> None:
    lost = replace(bundle(), ca_key=None)
    assert advanced(lost, NAMES, NOW, None).ca == lost.ca
    late = NOW + LEAF_LIFETIME + DAY
    after = advanced(lost, NAMES, late, None)
    assert after.ca != lost.ca
    assert fit(after.leaf, NAMES, late)
    assert advanced(lost, ("b.b.svc",), NOW, None).ca != lost.ca


def test_nothing_of_an_expired_ca_is_waited_for() -> None:
    late = NOW + CA_LIFETIME + DAY
    after = advanced(bundle(), NAMES, late, None)
    assert fit(after.leaf, NAMES, late)
    assert after.trusted == (after.ca,)


def test_a_leaf_that_ends_with_its_ca_is_not_renewed_for_nothing() -> None:
    at = NOW + CA_LIFETIME - 10 * DAY
    short = with_leaf(bundle(), NAMES, at)
    later = advanced(with_next(short, at), NAMES, at + 9 * DAY, None)
    assert later.leaf == short.leaf


def test_a_next_ca_that_is_over_is_made_anew() -> None:
    old = replace(with_next(bundle(), NOW), next=new_authority(NOW - 100 * DAY, 110 * DAY))
    assert advanced(old, NAMES, NOW, None).next is None


def test_a_retired_ca_is_trusted_until_its_last_leaf_has_expired() -> None:
    after = switched(waiting(SETTLING), NAMES, NOW)
    until = bundle().leaf.certificate.not_valid_after_utc + GRACE
    assert after.retired == (Retired(bundle().ca, until),)
    kept = advanced(with_leaf(after, NAMES, until - DAY), NAMES, until - timedelta(seconds=1), None)
    assert kept.retired == after.retired
    assert advanced(kept, NAMES, until, None).retired == ()


def test_nobody_is_trusted_longer_than_a_leaf_can_live() -> None:
    meant = replace(bundle(), retired=(Retired(authority().certificate, NOW + 1000 * DAY),))
    assert advanced(meant, NAMES, NOW, None).retired == (Retired(authority().certificate, NOW + LONGEST_TRUST),)


def test_a_new_leaf_is_good_for_the_names_of_the_old_one_too() -> None:
    both = advanced(bundle(), ("b.b.svc",), NOW + DAY, None)
    assert names_in(both.leaf.certificate) == ("b.b.svc", *NAMES)
    assert advanced(both, NAMES, NOW + DAY, None) is both
    renewed = advanced(both, NAMES, NOW + 62 * DAY, None)
    assert names_in(renewed.leaf.certificate) == NAMES


def test_by_hand_nothing_is_done_twice() -> None:
    once = with_next(bundle(), NOW)
    assert with_next(once, NOW) is once
    assert switched(bundle(), NAMES, NOW) is bundle()
    lost = replace(bundle(), ca_key=None)
    assert with_leaf(lost, NAMES, NOW) is lost


@pytest.mark.parametrize(
    ("leaf", "good"),
    [
        pytest.param(bundle().leaf, True, id="ours"),
        pytest.param(new_leaf(authority(), ("b.b.svc",), NOW, DAY), False, id="for another name"),
        pytest.param(new_leaf(authority(), NAMES, NOW - 2 * DAY, DAY), False, id="expired"),
    ],
)
def test_a_leaf_is_fit_to_be_served_or_not(leaf: KeyPair, good: bool) -> None:
    assert fit(leaf, NAMES, NOW) is good


def test_everything_begins_anew_beside_what_is_known() -> None:
    begun = first(NAMES, NOW, [authority().certificate])
    assert set(begun.trusted) == {begun.ca, authority().certificate}
