"""The pair for a test on this machine."""

import ssl
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    load_pem_private_key,
)

from admission.errors import CertificateError
from admission.serving.developmentpair import DEV_LIFETIME, LOOPBACK_NAMES, development_pair, why_unusable
from admission.serving.tls import Pair, secured
from tests.serving.handshake import shake_hands

NOW = datetime.now(UTC).replace(microsecond=0)
HOUR = timedelta(hours=1)


def names_in(certificate: Path) -> set[str]:
    extension = x509.load_pem_x509_certificate(certificate.read_bytes()).extensions
    names = extension.get_extension_for_class(x509.SubjectAlternativeName).value
    return {str(name.value) for name in names}


def contents(pair: Pair) -> tuple[bytes, ...]:
    assert pair.ca is not None
    return tuple(path.read_bytes() for path in (pair.ca, pair.certificate, pair.key))


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
        pytest.param(-2 * HOUR, False, id="not valid yet"),
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
    assert shake_hands(secured(pair, NOW).context, client, "localhost") in ("TLSv1.2", "TLSv1.3")
