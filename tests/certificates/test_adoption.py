"""Which leaf a replica shows."""

from __future__ import annotations

from dataclasses import replace

from admission.certificates.adoption import leaf_to_show
from admission.certificates.rotation import first, switched, with_leaf, with_next
from tests.certificates.sample import DAY, NAMES, NOW, bundle, publishing

ROTATED = switched(with_next(bundle(), NOW), NAMES, NOW)


def test_a_new_replica_shows_what_there_is() -> None:
    assert leaf_to_show(None, ROTATED, NAMES, NOW, None) == ROTATED.leaf


def test_a_renewed_leaf_of_the_same_ca_is_shown_at_once() -> None:
    renewed = with_leaf(bundle(), NAMES, NOW + DAY)
    assert leaf_to_show(bundle().leaf, renewed, NAMES, NOW + DAY, None) == renewed.leaf


def test_a_leaf_of_a_new_ca_is_shown_once_that_is_trusted() -> None:
    old = bundle().leaf
    assert leaf_to_show(old, ROTATED, NAMES, NOW, publishing(ROTATED.trusted_pem)) == ROTATED.leaf
    assert leaf_to_show(old, ROTATED, NAMES, NOW, publishing(bundle().trusted_pem)) == old
    assert leaf_to_show(old, ROTATED, NAMES, NOW, None) == old


def test_an_old_leaf_that_is_of_no_use_is_not_shown() -> None:
    old = bundle().leaf
    assert leaf_to_show(old, replace(ROTATED, retired=()), NAMES, NOW, None) == ROTATED.leaf
    assert leaf_to_show(old, ROTATED, NAMES, NOW + 100 * DAY, None) == ROTATED.leaf
    assert leaf_to_show(old, first(("b.b.svc",), NOW), ("b.b.svc",), NOW, None) != old
