"""What people want to know of a bundle."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from admission.certificates.bundle import Bundle, Retired
from admission.certificates.issuing import new_leaf
from admission.certificates.overview import Part, findings, listed
from admission.certificates.published import Published
from admission.certificates.rotation import CA_LIFETIME, LEAF_LIFETIME, with_next
from admission.certificates.secretdata import Reading
from tests.certificates.sample import DAY, NAMES, NOW, authority, bundle, publishing

PUBLISHED = publishing(bundle().trusted_pem)


def test_every_certificate_is_listed_with_what_comes() -> None:
    whole = replace(with_next(bundle(), NOW), retired=(Retired(authority().certificate, NOW + DAY),), known_since=NOW)
    rows = listed(whole)
    assert [(row.part, row.note) for row in rows] == [
        (Part.LEAF, "renewed from 2027-01-29"),
        (Part.CA, "followed by another one from 2033-07-30"),
        (Part.NEXT, "signs from 2026-12-01 00:15 UTC"),
        (Part.RETIRED, "trusted until 2026-12-02"),
    ]
    assert rows[0].name == "statuscap.statuscap.svc"
    assert rows[1].name.startswith("statuscap CA ")
    waiting = listed(replace(whole, known_since=None))[2]
    assert waiting.note == "signs once every webhook trusts it, and some minutes have passed"


def test_there_is_nothing_to_say_of_a_sound_bundle() -> None:
    assert findings(Reading(bundle()), NAMES, NOW, PUBLISHED) == ()
    assert findings(Reading(bundle()), (), NOW, None) == ()


@pytest.mark.parametrize(
    ("after", "found"),
    [
        pytest.param(61 * DAY, "the leaf should have been renewed by now; it expires on 2027-03-01", id="due"),
        pytest.param(LEAF_LIFETIME + DAY, "the leaf is valid from 2026-11-30 to 2027-03-01", id="expired"),
        pytest.param(2 * CA_LIFETIME / 3 + DAY, "the CA should have a successor by now", id="a CA that is due"),
        pytest.param(CA_LIFETIME + DAY, "the CA is valid from 2026-11-30", id="an expired CA"),
        pytest.param(-DAY, "the CA is valid from 2026-11-30", id="not yet"),
    ],
)
def test_what_is_late_is_found(after: timedelta, found: str) -> None:
    assert any(line.startswith(found) for line in findings(Reading(bundle()), NAMES, NOW + after, PUBLISHED))


def test_a_leaf_for_others_is_found() -> None:
    assert findings(Reading(bundle()), ("b.b.svc",), NOW, None) == ("the leaf is not for b.b.svc",)


@pytest.mark.parametrize(
    ("published", "found"),
    [
        pytest.param(Published((), off=True), "there is no MutatingWebhookConfiguration: statuscap is off", id="off"),
        pytest.param(
            publishing(bundle().trusted_pem, b""),
            "1 of 2 webhooks of the MutatingWebhookConfiguration do not trust the CA of the leaf",
            id="not trusted",
        ),
        pytest.param(
            publishing(bundle().trusted_pem + authority().certificate_pem),
            "the caBundle of the MutatingWebhookConfiguration is not ca.crt of the Secret",
            id="more is trusted",
        ),
    ],
)
def test_what_is_published_is_compared(published: Published, found: str) -> None:
    assert findings(Reading(bundle()), NAMES, NOW, published) == (found,)


def test_what_is_wrong_with_the_secret_comes_first() -> None:
    assert findings(Reading(None, ("it is empty",)), NAMES, NOW, PUBLISHED) == ("it is empty",)
    spoilt = Reading(bundle(), ("rotation.json cannot be read",))
    assert findings(spoilt, ("b.b.svc",), NOW, None)[0] == "rotation.json cannot be read"


def test_times_and_leaves_of_others_are_told_as_they_are() -> None:
    leaf = new_leaf(authority(), ("b.b.svc",), datetime(2026, 1, 1, tzinfo=NOW.tzinfo), DAY)
    other = Bundle(leaf, authority().certificate, authority().key)
    assert listed(other)[0].expires == leaf.certificate.not_valid_after_utc
