"""``statuscap apply``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import typer

from admission.cli.exits import Exit
from admission.cli.options import Crds, InMode, Policies, load, time_or_now

if TYPE_CHECKING:
    from admission.engine.policy import PolicySet
    from admission.offline.rehearsal import Rehearsal
    from admission.offline.write import Write


class Format(StrEnum):
    """How the result is printed."""

    TABLE = "table"
    DIFF = "diff"
    PATCH = "patch"
    YAML = "yaml"
    JSON = "json"


def apply(  # noqa: PLR0917  # a command's flags are its arguments
    policies: Policies,
    objects: Annotated[
        list[str],
        typer.Argument(
            metavar="OBJECT",
            help="Files of objects, AdmissionReviews or their requests: YAML or JSON, several documents, lists as "
            "kubectl prints them, - for the standard input.",
        ),
    ],
    old: Annotated[
        str | None,
        typer.Option("--old", metavar="FILE", help="The stored objects, paired by kind, namespace and name."),
    ] = None,
    now: Annotated[
        str | None,
        typer.Option("--now", metavar="TIME", help="The time to judge by (RFC 3339); this moment if not given."),
    ] = None,
    user: Annotated[str | None, typer.Option("--user", metavar="NAME", help="Who writes: userInfo.username.")] = None,
    mode: InMode = None,
    crds: Crds = None,
    resource: Annotated[
        str | None,
        typer.Option(
            "--resource",
            metavar="GROUP/RESOURCE",
            help="What bare objects are written to, as in batch.volcano.sh/jobs/status; else it is found in the rules.",
        ),
    ] = None,
    output: Annotated[
        Format,
        typer.Option(
            "--output",
            "-o",
            help="table: sizes and steps; diff: before and after; patch: one JSON Patch a line; yaml: the resulting "
            "objects; json: one report of all decisions.",
        ),
    ] = Format.TABLE,
) -> int:
    """Show what policies make of objects.

    Nothing is written anywhere: sizes, a diff, the patch or the resulting objects are printed. Exit code 3 when
    a write was rejected, 1 when one could not be evaluated.
    """
    from admission.offline.rehearsal import rehearse
    from admission.policyfile.files import STDIN

    if [*policies, *objects, old].count(STDIN) > 1:
        raise typer.BadParameter("the standard input can be read once: only one of the files may be -")
    loaded = load(policies, crds).in_mode(mode)
    moment = time_or_now(now)
    writes = _writes(loaded, objects, old, user, resource)
    rehearsals = [rehearse(loaded, write, moment) for write in writes]
    _PRINTERS[output](rehearsals)
    print_remarks(rehearsals, output)
    return exit_code(rehearsals)


def _writes(
    policies: PolicySet, objects: list[str], old: str | None, user: str | None, resource: str | None
) -> list[Write]:
    from admission.offline.objects import read_documents, stored_by_identity, with_stored, write_of
    from admission.offline.resource import Resource

    named = Resource.parse(resource) if resource else None
    stdin = sys.stdin.buffer
    writes = [write_of(document, policies, named) for document in read_documents(objects, stdin)]
    if old is not None:
        writes = with_stored(writes, stored_by_identity(read_documents([old], stdin)))
    return [write.with_user(user) for write in writes] if user is not None else writes


def exit_code(rehearsals: Sequence[Rehearsal]) -> Exit:
    """What scripts get to know: a rejection before a write that could not be evaluated as it should."""
    if any(rehearsal.code is not None for rehearsal in rehearsals):
        return Exit.REJECTED
    if any(rehearsal.fault or rehearsal.broken or rehearsal.decision.violations for rehearsal in rehearsals):
        return Exit.FINDINGS
    return Exit.OK


def print_remarks(rehearsals: Sequence[Rehearsal], output: Format) -> None:
    """What a format cannot show goes to the standard error output."""
    from admission.cli import console
    from admission.engine.decision import WOULD

    if output in (Format.TABLE, Format.JSON):
        return
    for rehearsal in rehearsals:
        title, decision = rehearsal.write.title, rehearsal.decision
        if rehearsal.code is not None:
            console.remark(f"{title}: rejected with {rehearsal.code}: {rehearsal.message}")
        elif rehearsal.fault is not None:
            console.remark(f"{title}: not evaluated: {rehearsal.fault.error}")
        elif rehearsal.broken:
            console.remark(f"{title}: {rehearsal.broken}")
        elif decision.outcome in WOULD.values():
            console.remark(
                f"{title}: {decision.outcome}, since no policy enforces it; --mode Enforce shows what would be done"
                f"{f': {rehearsal.message}' if rehearsal.message else ''}"
            )


def _table(rehearsals: Sequence[Rehearsal]) -> None:
    from admission.cli.decisiontable import print_decisions

    print_decisions(rehearsals)


def _diff(rehearsals: Sequence[Rehearsal]) -> None:
    from admission.cli import console
    from admission.offline.diff import unified

    out = console.stdout()
    for each in rehearsals:
        title = each.write.title
        console.diff(out, unified(each.write.submitted, each.result, f"{title} (submitted)", f"{title} (admitted)"))


def _patch(rehearsals: Sequence[Rehearsal]) -> None:
    from admission.cli import console
    from admission.review.answer import encode_patch

    console.json_lines([encode_patch(each.decision.patch) for each in rehearsals])


def _yaml(rehearsals: Sequence[Rehearsal]) -> None:
    from admission.cli import console
    from admission.offline.yamltext import to_documents

    console.raw(to_documents([each.result for each in rehearsals]))


def _json(rehearsals: Sequence[Rehearsal]) -> None:
    from admission.cli import console
    from admission.offline.decisionreport import report

    console.raw(report(rehearsals))


_Printer: TypeAlias = "Callable[[Sequence[Rehearsal]], None]"

_PRINTERS: Final[dict[Format, _Printer]] = {
    Format.TABLE: _table,
    Format.DIFF: _diff,
    Format.PATCH: _patch,
    Format.YAML: _yaml,
    Format.JSON: _json,
}
