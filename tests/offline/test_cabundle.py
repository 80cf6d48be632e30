"""Only certificates are published."""

from pathlib import Path

import pytest
import trustme

from admission.errors import CertificateError
from admission.offline.cabundle import ca_bundle


def test_reads_certificates(tmp_path: Path) -> None:
    file = tmp_path / "ca.crt"
    file.write_bytes(trustme.CA().cert_pem.bytes() + trustme.CA().cert_pem.bytes())
    assert ca_bundle(file) == file.read_bytes()


def test_refuses_a_private_key(tmp_path: Path) -> None:
    ca = trustme.CA()
    file = tmp_path / "both.pem"
    file.write_bytes(ca.cert_pem.bytes() + ca.private_key_pem.bytes())
    with pytest.raises(CertificateError, match="private key"):
        ca_bundle(file)


@pytest.mark.parametrize(
    "content", [b"", b"not PEM", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"]
)
def test_refuses_what_is_no_certificate(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "ca.crt"
    file.write_bytes(content)
    with pytest.raises(CertificateError, match="no certificate in it"):
        ca_bundle(file)


def test_says_when_the_file_is_missing(tmp_path: Path) -> None:
    with pytest.raises(CertificateError, match="cannot be read"):
        ca_bundle(tmp_path / "none.crt")
