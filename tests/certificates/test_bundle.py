"""The leaf that is served, and every CA to trust."""

from __future__ import annotations

from dataclasses import replace

from admission.certificates.bundle import Retired
from admission.certificates.published import certificates
from admission.certificates.rotation import switched, with_next
from tests.certificates.sample import DAY, NAMES, NOW, authority, bundle


def test_every_ca_is_trusted_once() -> None:
    retired = (Retired(authority().certificate, NOW), Retired(bundle().ca, NOW))
    assert set(replace(bundle(), retired=retired).trusted) == {bundle().ca, authority().certificate}


def test_what_is_published_does_not_change_when_a_ca_takes_another_part() -> None:
    before = with_next(bundle(), NOW + DAY)
    after = switched(before, NAMES, NOW + 2 * DAY)
    assert before.trusted_pem == after.trusted_pem
    assert certificates(before.trusted_pem) == before.trusted


def test_a_ca_without_its_key_is_no_authority() -> None:
    assert bundle().authority is not None
    assert replace(bundle(), ca_key=None).authority is None
