"""Certificates from files, and the pair for a test on this machine."""

import ssl
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from admission.errors import CertificateError
from admission.serving.tls import (
    DEV_LIFETIME,
    LOOPBACK_NAMES,
    Pair,
    development_pair,
    load_pair,
    server_context,
    utc_datetime,
    why_unusable,
)

NOW = datetime.now(UTC).replace(microsecond=0)
HOUR = timedelta(hours=1)


def names_in(certificate: Path) -> set[str]:
    extension = x509.load_pem_x509_certificate(certificate.read_bytes()).extensions
    names = extension.get_extension_for_class(x509.SubjectAlternativeName).value
    return {str(name.value) for name in names}


def contents(pair: Pair) -> tuple[bytes, ...]:
    assert pair.ca is not None
    return tuple(path.read_bytes() for path in (pair.ca, pair.certificate, pair.key))


# --- the development pair ---


def test_the_pair_is_for_loopback(tmp_path: Path) -> None:
    pair = development_pair(tmp_path / "new" / "certs", "", NOW)
    assert {path.name for path in (tmp_path / "new" / "certs").iterdir()} == {"ca.crt", "tls.crt", "tls.key"}
    assert names_in(pair.certificate) == set(LOOPBACK_NAMES)
    key = load_pem_private_key(pair.key.read_bytes(), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    assert key.curve.name == "secp256r1"


@pytest.mark.parametrize(
    ("host", "more"),
    [
        pytest.param("172.17.0.1", {"172.17.0.1"}, id="an address of this machine"),
        pytest.param("fd00::7", {"fd00::7"}, id="an IPv6 address"),
        pytest.param("127.0.0.1", set(), id="loopback"),
        pytest.param("0.0.0.0", set(), id="every address"),
        pytest.param("a.example", set(), id="a name"),
    ],
)
def test_the_pair_is_for_the_host_too_when_that_is_an_address(tmp_path: Path, host: str, more: set[str]) -> None:
    assert names_in(development_pair(tmp_path, host, NOW).certificate) == set(LOOPBACK_NAMES) | more


def test_nobody_else_reads_the_key(tmp_path: Path) -> None:
    assert development_pair(tmp_path, "", NOW).key.stat().st_mode & 0o777 == 0o600


def test_a_valid_pair_stays(tmp_path: Path) -> None:
    first = contents(development_pair(tmp_path, "", NOW))
    assert contents(development_pair(tmp_path, "127.0.0.1", NOW + HOUR)) == first


def mixed(tmp_path: Path, name: str) -> None:
    other = development_pair(tmp_path / "other", "", NOW)
    source = {"ca.crt": other.ca, "tls.crt": other.certificate, "tls.key": other.key}[name]
    assert source is not None
    (tmp_path / name).write_bytes(source.read_bytes())


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda path: (path / "ca.crt").unlink(), id="no CA"),
        pytest.param(lambda path: (path / "tls.key").unlink(), id="no key"),
        pytest.param(lambda path: (path / "tls.crt").write_text("?"), id="no certificate"),
        pytest.param(lambda path: (path / "tls.key").write_text("?"), id="no private key"),
        pytest.param(lambda path: mixed(path, "tls.key"), id="the key of another"),
        pytest.param(lambda path: mixed(path, "tls.crt"), id="the certificate of another"),
        pytest.param(lambda path: mixed(path, "ca.crt"), id="the CA of another"),
    ],
)
def test_an_unusable_pair_is_made_anew(tmp_path: Path, spoil: Callable[[Path], object]) -> None:
    before = contents(development_pair(tmp_path, "", NOW))
    spoil(tmp_path)
    pair = development_pair(tmp_path, "", NOW)
    assert why_unusable(pair, LOOPBACK_NAMES, NOW) is None
    assert not set(contents(pair)) & set(before)


@pytest.mark.parametrize(
    ("after", "kept"),
    [
        pytest.param(DEV_LIFETIME - timedelta(days=2), True, id="two days left"),
        pytest.param(DEV_LIFETIME - timedelta(hours=23), False, id="less than a day left"),
        pytest.param(DEV_LIFETIME + HOUR, False, id="expired"),
        pytest.param(-HOUR, False, id="not valid yet"),
    ],
)
def test_a_pair_is_made_anew_in_time(tmp_path: Path, after: timedelta, kept: bool) -> None:
    before = contents(development_pair(tmp_path, "", NOW))
    assert (contents(development_pair(tmp_path, "", NOW + after)) == before) is kept


def test_a_pair_for_other_names_is_made_anew(tmp_path: Path) -> None:
    before = contents(development_pair(tmp_path, "", NOW))
    pair = development_pair(tmp_path, "172.17.0.1", NOW)
    assert contents(pair) != before
    assert why_unusable(pair, ["172.17.0.9"], NOW) == "it is not for 172.17.0.9"


def test_a_pair_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "certs").write_text("a file")
    with pytest.raises(CertificateError, match="cannot be written"):
        development_pair(tmp_path / "certs", "", NOW)


def test_a_strict_client_accepts_the_pair(tmp_path: Path) -> None:
    pair = development_pair(tmp_path, "", NOW)
    client = ssl.create_default_context(cafile=pair.ca)
    client.verify_flags |= ssl.VERIFY_X509_STRICT
    assert shake_hands(server_context(pair, NOW), client, "localhost") in ("TLSv1.2", "TLSv1.3")


# --- files ---


def shake_hands(server: ssl.SSLContext, client: ssl.SSLContext, name: str) -> str | None:
    """A handshake without a network; returns the protocol's version."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    serving = server.wrap_bio(to_server, to_client, server_side=True)
    calling = client.wrap_bio(to_client, to_server, server_hostname=name)
    for _ in range(3):
        for end in (calling, serving):
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue
    return calling.version()


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
        assert shake_hands(server_context(pair, NOW), client, "127.0.0.1") == "TLSv1.2"
    else:
        with pytest.raises(ssl.SSLError):
            shake_hands(server_context(pair, NOW), client, "127.0.0.1")


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
        server_context(files, NOW)


@pytest.mark.parametrize("year", [1999, 3500])
def test_says_when_a_certificate_is_valid(files: Pair, year: int) -> None:
    with pytest.raises(CertificateError, match=f"valid from .* and now it is {year}-"):
        server_context(files, datetime(year, 1, 1, tzinfo=UTC))


def test_a_bad_pair_leaves_a_context_in_use_as_it_is(tmp_path: Path, files: Pair) -> None:
    good = development_pair(tmp_path / "good", "", NOW)
    context = server_context(good, NOW)
    files.key.write_text("x")
    with pytest.raises(CertificateError):
        load_pair(context, files, NOW)
    assert shake_hands(context, ssl.create_default_context(cafile=good.ca), "localhost") is not None


def test_nanoseconds_are_an_instant() -> None:
    assert utc_datetime(1_767_225_600_000_000_000) == datetime(2026, 1, 1, tzinfo=UTC)
