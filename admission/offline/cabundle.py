"""The CA that the API server trusts for the webhook."""

from __future__ import annotations

from typing import Final

from admission.errors import CertificateError, FileError
from admission.regularfile import MAX_PEM_BYTES, Name, read

_KEY: Final = b"PRIVATE KEY-----"


def ca_bundle(file: Name) -> bytes:
    """The certificates in a PEM file.

    Raises:
        CertificateError: it cannot be read, holds no certificate, or holds a private key, which must not be published.
    """
    from cryptography.x509 import load_pem_x509_certificates

    try:
        content = read(file, MAX_PEM_BYTES)
        load_pem_x509_certificates(content)
    except FileError as error:
        raise CertificateError(str(error)) from error
    except ValueError as error:
        raise CertificateError(f"{file}: there is no certificate in it; expected PEM") from error
    if _KEY in content:
        raise CertificateError(f"{file}: there is a private key in it; name the file of the CA's certificate alone")
    return content
