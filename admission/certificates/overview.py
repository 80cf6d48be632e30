"""What people want to know of a bundle: what is in it, until when, and what is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from cryptography import x509

from admission.certificates.bundle import Bundle
from admission.certificates.published import Published, certificates
from admission.certificates.rotation import SETTLING
from admission.certificates.secretdata import Reading
from admission.certificates.validity import due, missing_names, names_in, serves, valid


class Part(StrEnum):
    """The part that a certificate has."""

    LEAF = "leaf"
    CA = "CA"
    NEXT = "next CA"
    RETIRED = "retired CA"


@dataclass(frozen=True, slots=True)
class Listed:
    """One certificate; ``note`` says what will become of it."""

    part: Part
    name: str
    serial: str
    begins: datetime
    expires: datetime
    note: str


def listed(bundle: Bundle) -> tuple[Listed, ...]:
    """Every certificate of a bundle, the leaf first."""
    leaf = bundle.leaf.certificate
    rows = [
        _row(Part.LEAF, leaf, f"renewed from {_day(_due_from(leaf))}", ", ".join(names_in(leaf))),
        _row(Part.CA, bundle.ca, f"followed by another one from {_day(_due_from(bundle.ca))}"),
    ]
    if bundle.next is not None:
        rows.append(_row(Part.NEXT, bundle.next.certificate, _waits(bundle)))
    rows += [_row(Part.RETIRED, each.certificate, f"trusted until {_day(each.until)}") for each in bundle.retired]
    return tuple(rows)


def findings(reading: Reading, names: Sequence[str], at: datetime, published: Published | None) -> tuple[str, ...]:
    """A line for everything that is not as it should be; ``names`` are those that the API server calls, if known.

    ``published`` is None when nobody asks for it.
    """
    found = [*reading.problems]
    if reading.bundle is not None:
        found += _of_bundle(reading.bundle, names, at)
        found += [] if published is None else _of_published(reading.bundle, published)
    return tuple(dict.fromkeys(found))


def _of_bundle(bundle: Bundle, names: Sequence[str], at: datetime) -> Iterator[str]:
    leaf = bundle.leaf.certificate
    if missing := missing_names(leaf, names):
        yield f"the leaf is not for {', '.join(missing)}"
    elif not serves(leaf, names):
        yield "the leaf is not for servers"
    if not valid(leaf, at):
        yield f"the leaf is valid from {_day(leaf.not_valid_before_utc)} to {_day(leaf.not_valid_after_utc)}"
    elif due(leaf, at):
        yield f"the leaf should have been renewed by now; it expires on {_day(leaf.not_valid_after_utc)}"
    if not valid(bundle.ca, at):
        yield f"the CA is valid from {_day(bundle.ca.not_valid_before_utc)} to {_day(bundle.ca.not_valid_after_utc)}"
    elif due(bundle.ca, at) and bundle.next is None:
        yield f"the CA should have a successor by now; it expires on {_day(bundle.ca.not_valid_after_utc)}"


def _of_published(bundle: Bundle, published: Published) -> Iterator[str]:
    if published.off:
        yield "there is no MutatingWebhookConfiguration: statuscap is off"
    for each in published.registered:
        untrusting = sum(bundle.ca not in certificates(one) for one in each.bundles)
        if untrusting:
            yield f"{untrusting} of {len(each.bundles)} webhooks of the {each.kind} do not trust the CA of the leaf"
        elif each in published.others_than(bundle.trusted_pem):
            yield f"the caBundle of the {each.kind} is not ca.crt of the Secret"


def _row(part: Part, certificate: x509.Certificate, note: str, name: str = "") -> Listed:
    return Listed(
        part,
        name or certificate.subject.rfc4514_string().removeprefix("CN="),
        f"{certificate.serial_number:x}",
        certificate.not_valid_before_utc,
        certificate.not_valid_after_utc,
        note,
    )


def _waits(bundle: Bundle) -> str:
    if bundle.known_since is None:
        return "signs once every webhook trusts it, and some minutes have passed"
    return f"signs from {bundle.known_since + SETTLING:%Y-%m-%d %H:%M} UTC"


def _due_from(certificate: x509.Certificate) -> datetime:
    begins, ends = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    return ends - (ends - begins) / 3


def _day(at: datetime) -> str:
    return f"{at:%Y-%m-%d}"
