"""``statuscap certs``: the certificates that ``serve --cert-secret`` keeps in a Secret, seen and turned by hand."""

from __future__ import annotations

import time
from dataclasses import asdict
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import typer

from admission.cli.exits import Exit
from admission.errors import CertificateError, SettingsError

if TYPE_CHECKING:
    from admission.certificates.bundle import Bundle
    from admission.cluster.configurations import ClusterConfigurations
    from admission.cluster.secret import ClusterSecret
    from admission.serving.keeper import Round
    from admission.settings.values import ObjectName

certs = typer.Typer(
    name="certs",
    help="The certificates that serve --cert-secret keeps in a Secret of the cluster.",
    rich_markup_mode=None,
    no_args_is_help=True,
)

_HEAD: Final = ("PART", "NAME", "EXPIRES", "WHAT COMES")
_LEAST_NOTE: Final = 30
"""Columns in which a note is pleasant to read."""


class Format(StrEnum):
    """How they are printed."""

    TABLE = "table"
    JSON = "json"


Target: TypeAlias = Annotated[
    str, typer.Argument(metavar="NAMESPACE/NAME", help="The Secret, as in serve --cert-secret.", show_default=False)
]
Service: TypeAlias = Annotated[
    str, typer.Option("--service", metavar="NAME", help="The Service that the API server calls.", show_default=False)
]
Url: TypeAlias = Annotated[
    str,
    typer.Option(
        "--url", metavar="https://HOST:PORT", help="The URL that it calls, instead of --service.", show_default=False
    ),
]
Registration: TypeAlias = Annotated[
    str, typer.Option("--registration", metavar="NAME", help="The name of the webhook configurations.")
]
Output: TypeAlias = Annotated[Format, typer.Option("--output", "-o", help="How to print them.")]

_REGISTRATION: Final = "zz-statuscap"


@certs.command()
def show(secret: Target, output: Output = Format.TABLE) -> int:
    """Show what is in the Secret.

    Every certificate, until when it is valid, and what comes next. Private keys are never shown. Exit code 1 when there
    are no certificates in it that could be used.
    """
    from admission.certificates.secretdata import of_data

    reading = of_data(_secret(secret).read().data)
    _print(reading.bundle, reading.problems, output)
    return Exit.OK if reading.bundle is not None else Exit.FINDINGS


@certs.command()
def check(
    secret: Target,
    service: Service = "",
    url: Url = "",
    registration: Registration = _REGISTRATION,
    output: Output = Format.TABLE,
) -> int:
    """Check the Secret and what trusts it.

    Also whether the webhook configurations trust what is in it. Exit code 1 when something is not as it should be;
    replicas that run mend most of it within a minute.
    """
    from admission.certificates.overview import findings
    from admission.certificates.secretdata import of_data
    from admission.serving.keeper import time_of

    names = _names(secret, service, url, needed=False)
    published = _configurations(registration).look()
    kept = _secret(secret).read()
    at, _ = time_of(kept, time.time_ns)
    reading = of_data(kept.data)
    found = findings(reading, names, at, published)
    _print(reading.bundle, found, output)
    return Exit.FINDINGS if found else Exit.OK


@certs.command()
def make(
    secret: Target,
    service: Service = "",
    url: Url = "",
    registration: Registration = _REGISTRATION,
    output: Output = Format.TABLE,
) -> int:
    """Make or mend the certificates.

    Writes the Secret, and lets the webhook configurations trust what is in it. Does once what a replica does all the
    time: nothing, when everything is as it should be.
    """
    return _ended(_kept(secret, _names(secret, service, url), registration), output)


@certs.command()
def rotate(
    secret: Target,
    service: Service = "",
    url: Url = "",
    registration: Registration = _REGISTRATION,
    leaf: Annotated[bool, typer.Option("--leaf", help="Renew the leaf alone, by the same CA.")] = False,
    at_once: Annotated[
        bool,
        typer.Option(
            "--at-once",
            help="Make everything anew and trust nothing old, since a key has leaked: writes pass untrimmed until all "
            "replicas and API servers have noticed.",
        ),
    ] = False,
    output: Output = Format.TABLE,
) -> int:
    """Begin a rotation by hand.

    The replicas that run bring it to its end. Without a flag the CA gets a successor: both are trusted; after a quarter
    of an hour the leaf is of the new one, and the old one is dropped when the last leaf of it has expired. No call
    fails.
    """
    from admission.certificates.rotation import first, with_leaf, with_next
    from admission.serving.byhand import change, demanded

    if leaf and at_once:
        raise SettingsError("--leaf and --at-once are two things; give one")
    names = _names(secret, service, url)

    def made(bundle: Bundle | None, at: datetime) -> Bundle:
        if at_once:
            return first(names, at)
        found = demanded(bundle)
        if not leaf:
            return with_next(found, at)
        if found.authority is None:
            raise CertificateError("the key of the CA is lost; rotate without --leaf")
        return with_leaf(found, names, at)

    change(_secret(secret), made, time.time_ns)
    return _ended(_kept(secret, names, registration), output)


def _kept(secret: str, names: tuple[str, ...], registration: str) -> Round:
    from admission.serving.byhand import settled
    from admission.serving.keeper import Keeper

    return settled(Keeper(_secret(secret), _configurations(registration), names, time.time_ns))


def _ended(done: Round, output: Format) -> int:
    _print(done.bundle, tuple(map(str, done.troubles)), output)
    return Exit.FINDINGS if done.troubles else Exit.OK


# --- flags -----------------------------------------------------------------------------------------------------------


def _object_name(secret: str) -> ObjectName:
    from admission.settings.values import read_object_name

    try:
        name = read_object_name(secret)
    except ValueError as error:
        raise SettingsError(str(error)) from error
    if name is None:
        raise SettingsError("the Secret has no name; write NAMESPACE/NAME")
    return name


def _names(secret: str, service: str, url: str, *, needed: bool = True) -> tuple[str, ...]:
    """The names that the leaf is for."""
    from admission.settings.values import read_host, read_service

    namespace = _object_name(secret).namespace
    if bool(service) == bool(url) and (needed or service):
        raise SettingsError("say whom the API server calls: give --service, or --url")
    try:
        host = read_host(url)
        return (host,) if host else (f"{read_service(service)}.{namespace}.svc",) if service else ()
    except ValueError as error:
        raise SettingsError(str(error)) from error


def _secret(secret: str) -> ClusterSecret:
    from admission.cluster.secret import ClusterSecret

    return ClusterSecret.found(*_object_name(secret))


def _configurations(registration: str) -> ClusterConfigurations:
    from admission.cluster.configurations import ClusterConfigurations
    from admission.settings.values import read_registration

    try:
        return ClusterConfigurations.found(read_registration(registration))
    except ValueError as error:
        raise SettingsError(f"--registration: {error}") from error


# --- printing --------------------------------------------------------------------------------------------------------


def _print(bundle: Bundle | None, remarks: tuple[str, ...], output: Format) -> None:
    from admission.certificates.overview import listed
    from admission.cli import console

    rows = () if bundle is None else listed(bundle)
    if output is Format.JSON:
        import json

        told: dict[str, Any] = {"certificates": [asdict(row) for row in rows], "problems": list(remarks)}
        console.raw(json.dumps(told, indent=2, ensure_ascii=False, default=partial(datetime.isoformat)))
        return
    if rows:
        _table([(row.part.value, row.name, f"{row.expires:%Y-%m-%d}", row.note) for row in rows])
    for remark in remarks:
        console.remark(remark)


def _table(rows: list[tuple[str, ...]]) -> None:
    from rich.text import Text

    from admission.cli import console
    from admission.cli.columns import align

    out = console.stdout()
    cells = [[Text(cell, "bold" if row is _HEAD else "") for cell in row] for row in (_HEAD, *rows)]
    lines = align(cells, out.width, len(_HEAD) - 1, _LEAST_NOTE)
    for line in lines or [Text("  ").join(row) for row in cells]:  # too narrow for columns
        console.verbatim(out, line)
