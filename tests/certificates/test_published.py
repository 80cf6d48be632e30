"""What the API server trusts."""

from __future__ import annotations

import pytest

from admission.certificates.bundle import pem
from admission.certificates.published import Published, Registered, certificates
from tests.certificates.sample import authority, publishing

A, B = authority(1).certificate, authority(2).certificate


@pytest.mark.parametrize(
    ("bundles", "trusted"),
    [
        pytest.param([pem([A])], True, id="by its only webhook"),
        pytest.param([pem([A, B]), pem([B, A])], True, id="by every webhook, in any order"),
        pytest.param([pem([A]), pem([B])], False, id="not by all"),
        pytest.param([pem([A]), b""], False, id="one trusts nothing"),
        pytest.param([b"?"], False, id="nothing that can be read"),
        pytest.param([], True, id="there is no webhook that could not"),
    ],
)
def test_a_ca_is_trusted_when_every_webhook_does(bundles: list[bytes], trusted: bool) -> None:
    assert publishing(*bundles).trusts(A) is trusted


def test_every_configuration_counts() -> None:
    published = Published((Registered("A", "1", (pem([A]),)), Registered("B", "2", (pem([A, B]),))), off=False)
    assert (published.trusts(A), published.trusts(B)) == (True, False)
    assert published.all_trusted() == {A, B}
    assert [each.kind for each in published.others_than(pem([A]))] == ["B"]


def test_certificates_are_all_or_none() -> None:
    assert certificates(pem([A, B])) == (A, B)
    assert certificates(pem([A]).replace(b"MII", b"?II")) == ()
    assert certificates(b"") == ()
