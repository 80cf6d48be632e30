"""``statuscap check``."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from enum import StrEnum
from textwrap import indent
from typing import TYPE_CHECKING, Annotated, Final

import typer

from admission.cli.exits import Exit
from admission.cli.options import Crds, known_crds

if TYPE_CHECKING:
    from admission.offline.checkup import Checkup

_HANG: Final = 4


class Format(StrEnum):
    """How problems are printed."""

    TABLE = "table"
    JSON = "json"


def check(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH",
            help="Files and directories (with what is below them) of policies and suites, preset:NAME, or -.",
        ),
    ],
    crds: Crds = None,
    cluster: Annotated[
        bool,
        typer.Option(
            "--cluster",
            help="Know the CRDs of the cluster that KUBECONFIG leads to, or the service account of a pod. What it says "
            "of a CRD goes before --crds.",
        ),
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say of each policy what it does and what it never does, in sentences.")
    ] = False,
    output: Annotated[
        Format, typer.Option("--output", "-o", help="table: file:line: path: message, a line each; json.")
    ] = Format.TABLE,
) -> int:
    """Check the files of policies and suites.

    Prints every problem of every file, and notes on what is allowed but hardly meant. Policies are checked
    together, as they would be loaded, and tried on generated samples: one that does not leave its own result
    alone, or undoes what another one does, is a problem, with the sample. With --crds or --cluster they are
    also held against the schemas of their kinds. Exit code 1 when there is a problem.
    """
    from admission.offline.checkup import check_files

    checkup = check_files(paths, sys.stdin.buffer, known_crds(crds, cluster=cluster))
    if not explain:
        checkup = replace(checkup, explanations=())
    (_json if output is Format.JSON else _lines)(checkup)
    return Exit.OK if checkup.clean else Exit.FINDINGS


def _lines(checkup: Checkup) -> None:
    from admission.cli import console
    from admission.cli.amounts import count

    out = console.stdout()
    for explanation in checkup.explanations:
        heading, *sentences = explanation.lines()
        console.line(out, (heading, "bold"), hang=_HANG)
        for sentence in sentences:
            console.line(out, sentence, hang=_HANG)
    for problem in checkup.problems:
        console.line(out, str(problem), hang=_HANG)
    for unsettled in checkup.convergence.unsettled:
        console.line(out, str(unsettled.problem), hang=_HANG)
        console.verbatim(out, indent(unsettled.sample, " " * _HANG).rstrip())
    for note in checkup.notes:
        console.line(out, (str(replace(note, message=f"note: {note.message}")), "yellow"), hang=_HANG)
    if checkup.convergence.not_judged:
        console.line(out, (checkup.convergence.not_judged, "yellow"), hang=_HANG)
    read = f"{count(checkup.policies, 'policy')}, {count(checkup.suites, 'suite')}"
    against = "" if checkup.crds is None else f", held against {count(checkup.crds, 'CRD')}"
    verdict = f"{count(checkup.found, 'problem')}, {count(len(checkup.notes), 'note')}"
    console.line(out, f"{read} read{against}: ", (verdict, "bold green" if checkup.clean else "bold red"))


def _json(checkup: Checkup) -> None:
    import json

    from admission.cli import console

    told = asdict(checkup) | {"clean": checkup.clean}
    console.raw(json.dumps(told, indent=2, ensure_ascii=False))
