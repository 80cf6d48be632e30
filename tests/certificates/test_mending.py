"""From whatever is in a Secret to a bundle. More is among the tests of the keeper."""

from __future__ import annotations

from dataclasses import replace

import pytest

from admission.certificates.bundle import Bundle, Retired, pem
from admission.certificates.mending import mended
from admission.certificates.rotation import LONGEST_TRUST, first, with_next
from admission.certificates.secretdata import (
    CA_KEY,
    LEAF,
    LEAF_KEY,
    NEXT_CA_KEY,
    TRUSTED,
    Reading,
    of_data,
    to_data,
)
from tests.certificates.sample import DAY, NAMES, NOW, authority, bundle, publishing


def mend(data: dict[str, bytes], remembered: Bundle | None, *published: bytes) -> Bundle:
    return mended(of_data(data), remembered, NAMES, NOW, publishing(*published) if published else None)


def test_what_is_sound_stays_and_what_is_remembered_does_not_matter() -> None:
    assert mended(Reading(bundle()), first(NAMES, NOW), NAMES, NOW, None) is bundle()


def test_an_empty_secret_is_filled_and_what_is_published_stays_trusted() -> None:
    made = mend({}, None, pem([authority().certificate]))
    assert set(made.trusted) == {made.ca, authority().certificate}


def test_what_is_remembered_is_put_back() -> None:
    assert mend({}, bundle()) == bundle()
    published = mend({}, bundle(), pem([authority().certificate]))
    assert published == replace(bundle(), retired=(Retired(authority().certificate, NOW + LONGEST_TRUST),))


@pytest.mark.parametrize("key", [LEAF, LEAF_KEY, CA_KEY, NEXT_CA_KEY, TRUSTED])
def test_any_part_that_is_missing_is_remembered(key: str) -> None:
    whole = with_next(bundle(), NOW)
    data = {name: content for name, content in to_data(whole).items() if name != key}
    assert mend(data, whole) == whole


def test_a_leaf_that_is_missing_is_made_of_the_same_ca_later() -> None:
    data = {name: content for name, content in to_data(bundle()).items() if name != LEAF}
    found = mend(data, None)
    assert (found.ca, found.authority) == (bundle().ca, bundle().authority)


def test_a_whole_other_bundle_with_one_thing_wrong_is_taken_and_the_old_cas_stay_trusted() -> None:
    other = first(NAMES, NOW + DAY)
    found = mend({**to_data(other), NEXT_CA_KEY: b"?"}, bundle())
    assert found.ca == other.ca
    assert bundle().ca in found.trusted


def test_a_ca_without_a_key_does_not_replace_what_is_remembered() -> None:
    other = to_data(first(NAMES, NOW + DAY))
    found = mend({**other, CA_KEY: b"?"}, bundle())
    assert found.authority == bundle().authority


def test_retired_cas_keep_the_end_that_is_remembered() -> None:
    remembered = replace(bundle(), retired=(Retired(authority().certificate, NOW + DAY),))
    data = {**to_data(remembered), TRUSTED: pem([bundle().ca])}
    assert mend(data, remembered).retired == remembered.retired
