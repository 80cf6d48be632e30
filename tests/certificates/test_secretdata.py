"""A bundle as a Secret holds it, and whatever else a Secret may hold."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from hypothesis import given, settings
from hypothesis import strategies as st

from admission.certificates.bundle import Bundle, Retired, pem
from admission.certificates.issuing import new_leaf
from admission.certificates.rotation import switched, with_next
from admission.certificates.secretdata import (
    CA_KEY,
    KEYS,
    LEAF,
    LEAF_KEY,
    NEXT_CA_KEY,
    ROTATION,
    TRUSTED,
    Kept,
    of_data,
    to_data,
)
from tests.certificates.sample import DAY, NAMES, NOW, authority, bundle

_RETIRED = switched(with_next(bundle(), NOW), NAMES, NOW)
ROTATING = replace(with_next(_RETIRED, NOW), known_since=datetime(2026, 12, 1, 1, 2, 3, 456789, UTC))
"""A bundle with everything in it."""

FULL = to_data(ROTATING)
RSA = rsa.generate_private_key(65537, 2048).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


@pytest.mark.parametrize(
    "whole",
    [
        pytest.param(bundle(), id="the first"),
        pytest.param(with_next(bundle(), NOW), id="with a next CA"),
        pytest.param(switched(with_next(bundle(), NOW), NAMES, NOW), id="with a retired CA"),
        pytest.param(ROTATING, id="with everything"),
    ],
)
def test_what_is_written_is_read_again(whole: Bundle) -> None:
    reading = of_data({**to_data(whole), "theirs": b"?"})
    assert reading.problems == ()
    assert reading.bundle == whole
    assert to_data(reading.bundle) == to_data(whole)


def test_a_secret_of_a_bundle_has_no_other_keys() -> None:
    assert FULL.keys() == KEYS
    assert to_data(bundle()).keys() == KEYS - {NEXT_CA_KEY}
    assert Kept({**FULL, "theirs": b"?"}, "1").ours == FULL


@pytest.mark.parametrize(
    ("bent", "problem", "usable"),
    [
        pytest.param({LEAF: b""}, "tls.crt is no certificate in PEM form", True, id="no leaf"),
        pytest.param({LEAF_KEY: b"?"}, "tls.key is no private key of tls.crt", True, id="no key"),
        pytest.param({LEAF_KEY: authority().key}, "tls.key is no private key of tls.crt", True, id="another key"),
        pytest.param({CA_KEY: b"?"}, "ca.key belongs to no CA in ca.crt", True, id="no key of the CA"),
        pytest.param({CA_KEY: RSA}, "ca.key belongs to no CA in ca.crt", True, id="a key that cannot sign here"),
        pytest.param({NEXT_CA_KEY: b"?"}, "next-ca.key belongs to no other CA in ca.crt", True, id="no next key"),
        pytest.param({TRUSTED: b"?"}, "ca.crt is no list of CAs in PEM form", False, id="no CAs"),
        pytest.param(
            {TRUSTED: pem([authority().certificate])}, "tls.crt is of no CA in ca.crt", False, id="another CA"
        ),
        pytest.param({ROTATION: b"{"}, "rotation.json cannot be read", True, id="no rotation"),
        pytest.param({ROTATION: b"\xff"}, "rotation.json cannot be read", True, id="a rotation that is no text"),
        pytest.param({ROTATION: b'{"trustedUntil":{}}'}, "does not say until when", True, id="no end of trust"),
    ],
)
def test_what_is_wrong_is_told_and_the_rest_is_used(bent: dict[str, bytes], problem: str, usable: bool) -> None:
    reading = of_data({**FULL, **bent})
    assert any(problem in each for each in reading.problems), reading.problems
    assert (reading.bundle is not None) is usable


def test_a_leaf_of_one_ca_and_the_key_of_another_are_told_apart() -> None:
    other = new_leaf(authority(), NAMES, NOW, DAY)
    mixed = {
        **to_data(bundle()),
        LEAF: other.certificate_pem,
        LEAF_KEY: other.key,
        TRUSTED: pem([bundle().ca, authority().certificate]),
    }
    reading = of_data(mixed)
    assert "ca.key belongs to another CA than that of tls.crt" in reading.problems
    assert reading.bundle is not None
    assert (reading.bundle.ca, reading.bundle.ca_key) == (authority().certificate, None)
    assert [each.certificate for each in reading.bundle.retired] == [bundle().ca]


def test_a_retired_ca_that_was_taken_out_is_missed() -> None:
    whole = ROTATING
    kept = [ca for ca in whole.trusted if ca != whole.retired[0].certificate]
    reading = of_data({**FULL, TRUSTED: pem(kept)})
    assert any("lacks the retired CA" in each for each in reading.problems)


def test_a_time_without_a_zone_is_utc() -> None:
    rotation = FULL[ROTATION].replace(b'Z"', b'"')
    assert rotation != FULL[ROTATION]
    assert of_data({**FULL, ROTATION: rotation}).bundle == ROTATING


def test_nothing_of_ours_is_an_empty_secret() -> None:
    assert of_data({"theirs": b"?"}).problems == ("it is empty",)
    assert of_data({}).bundle is None


def test_a_leaf_that_is_a_ca_is_retired_like_any() -> None:
    until = NOW + DAY
    whole = replace(bundle(), retired=(Retired(authority().certificate, until),))
    assert of_data(to_data(whole)).bundle == whole


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from(sorted(KEYS)), st.one_of(st.binary(max_size=60), st.none())), st.data())
def test_whatever_is_in_a_secret_is_read_without_a_fault(bent: dict[str, bytes | None], data: st.DataObject) -> None:
    found = {**FULL, **bent}
    key = data.draw(st.sampled_from(sorted(KEYS)))
    if (text := found[key]) is not None:
        cut = data.draw(st.integers(0, len(text)))
        found[key] = text[:cut] + data.draw(st.binary(max_size=3)) + text[cut + data.draw(st.integers(0, 3)) :]
    reading = of_data({name: content for name, content in found.items() if content is not None})
    if reading.bundle is not None and not reading.problems:
        assert of_data(to_data(reading.bundle)).bundle == reading.bundle
