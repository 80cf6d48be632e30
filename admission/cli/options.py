"""Flags that several commands share, and what they mean."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from admission.engine.instant import parse_time
from admission.engine.policy import Mode
from admission.engine.schema import UNKNOWN, Schemas

if TYPE_CHECKING:
    from admission.crd.catalogue import Catalogue
    from admission.engine.policy import PolicySet

Policies: TypeAlias = Annotated[
    list[str],
    typer.Option(
        "--policies",
        "-p",
        metavar="PATH",
        help="A policy file, a directory, preset:NAME, or - for the standard input. May be given several times.",
    ),
]

InMode: TypeAlias = Annotated[
    Mode | None,
    typer.Option("--mode", help="Evaluate every policy but those that are Off as if in this mode.", show_default=False),
]

Crds: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--crds",
        metavar="PATH",
        help="A file or directory of CRDs (YAML or JSON), whose schemas no trim may break. May be given several times.",
        show_default=False,
    ),
]


def load(sources: list[str], crds: list[str] | None = None) -> PolicySet:
    """The policies of files, directories and presets, and what CRDs say of the kinds that they are for.

    Raises:
        PolicyError: with every problem of every file.
    """
    from admission.policyfile.loader import load_policies

    policies = load_policies(sources, stdin=sys.stdin.buffer)
    return policies.knowing(schemas(crds)) if crds else policies


def schemas(crds: list[str] | None) -> Schemas:
    """The schemas of CRDs in files and directories.

    Raises:
        CrdError: with every problem of every file.
    """
    from admission.crd.files import read_crds

    return read_crds(crds).schemas if crds else UNKNOWN


def known_crds(crds: list[str] | None, *, cluster: bool) -> Catalogue | None:
    """The CRDs of the cluster, and those of files that it does not have; None when nobody asks for any.

    Raises:
        CrdError: with every problem of every file.
        ClusterError: the API server cannot be asked.
    """
    if not crds and not cluster:
        return None
    from admission.crd.catalogue import Catalogue
    from admission.crd.files import read_crds

    of_files = read_crds(crds or ())
    if not cluster:
        return of_files
    from admission.cluster.crds import ClusterCrds

    return Catalogue.merged(of_files, ClusterCrds.found().read())


def time_or_now(text: str | None) -> int:
    """Nanoseconds since the epoch of an RFC 3339 time; without one, of this moment."""
    if text is None:
        return time.time_ns()
    moment = parse_time(text)
    if moment is None:
        raise typer.BadParameter(f"{text!r} is no time; write for example 2026-01-01T00:00:00Z", param_hint="--now")
    return moment
