"""Certificates from files."""

import ssl
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from admission.certificates.issuing import BACKDATED
from admission.errors import CertificateError
from admission.serving.developmentpair import DEV_LIFETIME, development_pair
from admission.serving.tls import Pair, secured, utc_datetime
from tests.serving.handshake import shake_hands

NOW = datetime.now(UTC).replace(microsecond=0)
HOUR = timedelta(hours=1)


def serving_with(pair: Pair, at: datetime, client_ca: Path | None = None) -> ssl.SSLContext:
    return secured(pair, at, client_ca).context


@pytest.fixture
def files(tmp_path: Path) -> Pair:
    """A pair as cert-manager mounts it."""
    pair = Pair(tmp_path / "tls.crt", tmp_path / "tls.key")
    issued = trustme.CA().issue_cert("statuscap.statuscap-system.svc")
    issued.cert_chain_pems[0].write_to_path(pair.certificate)
    issued.private_key_pem.write_to_path(pair.key)
    return pair


@pytest.mark.parametrize(("version", "spoken"), [(ssl.TLSVersion.TLSv1_2, True), (ssl.TLSVersion.TLSv1_1, False)])
@pytest.mark.filterwarnings("ignore:ssl.TLSVersion.TLSv1_1 is deprecated:DeprecationWarning")
def test_speaks_tls_from_1_2_on(tmp_path: Path, version: ssl.TLSVersion, spoken: bool) -> None:
    pair = development_pair(tmp_path, "", NOW)
    client = ssl.create_default_context(cafile=pair.ca)
    client.minimum_version = ssl.TLSVersion.TLSv1_1 if not spoken else version
    client.maximum_version = version
    if spoken:
        assert shake_hands(serving_with(pair, NOW), client, "127.0.0.1") == "TLSv1.2"
    else:
        with pytest.raises(ssl.SSLError):
            shake_hands(serving_with(pair, NOW), client, "127.0.0.1")


def encrypt(pair: Pair) -> None:
    key = load_pem_private_key(pair.key.read_bytes(), None)
    pair.key.write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, BestAvailableEncryption(b"secret"))
    )


def other_key(pair: Pair) -> None:
    trustme.CA().issue_cert("other.example").private_key_pem.write_to_path(pair.key)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        pytest.param(lambda pair: pair.certificate.unlink(), "tls.crt: No such file", id="no certificate"),
        pytest.param(lambda pair: pair.key.unlink(), "tls.key: No such file", id="no key"),
        pytest.param(lambda pair: pair.certificate.write_text("x"), "no certificate in PEM form", id="not PEM"),
        pytest.param(lambda pair: pair.key.write_text("x"), "tls.key: no private key in PEM form", id="no PEM key"),
        pytest.param(other_key, "tls.key: the key belongs to another certificate", id="the key of another"),
        pytest.param(encrypt, "the private key is encrypted", id="an encrypted key"),
    ],
)
def test_says_what_is_wrong_with_files(files: Pair, spoil: Callable[[Pair], object], message: str) -> None:
    spoil(files)
    with pytest.raises(CertificateError, match=message):
        serving_with(files, NOW)


@pytest.mark.parametrize("year", [1999, 3500])
def test_says_when_a_certificate_is_valid(files: Pair, year: int) -> None:
    with pytest.raises(CertificateError, match=f"valid from .* and now it is {year}-"):
        serving_with(files, datetime(year, 1, 1, tzinfo=UTC))


# --- certificates of callers ---


@pytest.fixture
def ca(tmp_path: Path) -> trustme.CA:
    """A CA for callers, in ``client-ca.crt``."""
    made = trustme.CA()
    made.cert_pem.write_to_path(tmp_path / "client-ca.crt")
    return made


@pytest.fixture
def client_ca(tmp_path: Path, ca: trustme.CA) -> Path:
    return tmp_path / "client-ca.crt"


def calling(pair: Pair, issuer: trustme.CA | None) -> ssl.SSLContext:
    """A caller that trusts the pair, with a certificate of the issuer's if there is one."""
    client = ssl.create_default_context(cafile=pair.ca)
    if issuer is not None:
        issuer.issue_cert("kube-apiserver").configure_cert(client)
    return client


VERSIONS = pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])


@VERSIONS
def test_a_caller_with_a_certificate_of_the_ca_is_served(
    tmp_path: Path, ca: trustme.CA, client_ca: Path, version: ssl.TLSVersion
) -> None:
    pair = development_pair(tmp_path, "", NOW)
    client = calling(pair, ca)
    client.minimum_version = client.maximum_version = version
    assert shake_hands(serving_with(pair, NOW, client_ca), client, "localhost")


@VERSIONS
@pytest.mark.parametrize("issuer", [None, trustme.CA()], ids=["without one", "of another CA"])
def test_any_other_caller_is_not(
    tmp_path: Path, client_ca: Path, version: ssl.TLSVersion, issuer: trustme.CA | None
) -> None:
    pair = development_pair(tmp_path, "", NOW)
    client = calling(pair, issuer)
    client.minimum_version = client.maximum_version = version
    with pytest.raises(ssl.SSLError, match=r"(?i)certificate"):
        shake_hands(serving_with(pair, NOW, client_ca), client, "localhost")


def test_a_bundle_may_hold_several_cas_and_one_that_is_no_root(tmp_path: Path, ca: trustme.CA, client_ca: Path) -> None:
    pair = development_pair(tmp_path, "", NOW)
    between = trustme.CA().create_child_ca()
    client_ca.write_bytes(b"# \xc3\xa4\n" + between.cert_pem.bytes() + ca.cert_pem.bytes() * 2)
    server = serving_with(pair, NOW, client_ca)
    for issuer in (ca, between):
        assert shake_hands(server, calling(pair, issuer), "localhost")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("", "client-ca.crt: no certificate in PEM form", id="empty"),
        pytest.param("x", "client-ca.crt: no certificate in PEM form", id="not PEM"),
        pytest.param(None, "client-ca.crt: No such file or directory", id="missing"),
    ],
)
def test_says_what_is_wrong_with_the_ca_of_callers(
    tmp_path: Path, client_ca: Path, content: str | None, message: str
) -> None:
    if content is None:
        client_ca.unlink()
    else:
        client_ca.write_text(content)
    with pytest.raises(CertificateError, match=message):
        serving_with(development_pair(tmp_path, "", NOW), NOW, client_ca)


def test_knows_when_a_certificate_begins_and_expires(tmp_path: Path) -> None:
    found = secured(development_pair(tmp_path, "", NOW), NOW)
    assert (found.begins, found.expires) == (NOW - BACKDATED, NOW + DEV_LIFETIME)
    assert found.serial > 0


def test_nanoseconds_are_an_instant() -> None:
    assert utc_datetime(1_767_225_600_000_000_000) == datetime(2026, 1, 1, tzinfo=UTC)


def test_no_client_shakes_hands_twice_on_a_connection(files: Pair) -> None:
    assert serving_with(files, datetime.now(UTC)).options & ssl.OP_NO_RENEGOTIATION
