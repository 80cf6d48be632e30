"""``statuscap test``."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import typer

from admission.cli.exits import Exit
from admission.cli.options import Crds, schemas

if TYPE_CHECKING:
    from rich.console import Console

    from admission.offline.case import CaseResult
    from admission.offline.suite import FileResult


class Format(StrEnum):
    """How the results are printed."""

    TABLE = "table"
    JSON = "json"
    JUNIT = "junit"


Results: TypeAlias = "list[FileResult]"
"""The results of every file, in order."""

_HANG: Final = 4


def suites(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH", help="Suite files, and directories: every *.suite.yaml and file of kind Suite below."
        ),
    ],
    crds: Crds = None,
    output: Annotated[
        Format,
        typer.Option("--output", "-o", help="table: a line a case, a diff where one fails; json; junit: XML for CI."),
    ] = Format.TABLE,
) -> int:
    """Run the suites of policies.

    Every case goes through the same code as a real review, and is compared with what it expects. Policies that
    do not converge on generated samples are a failed case more. Exit code 1 when a case fails. A suite without a
    schema of its own knows those of --crds.
    """
    from admission.offline.suite import find_suites, run_file

    now, known = time.time_ns(), schemas(crds)
    results = [run_file(file, now, known) for file in find_suites(paths)]
    _PRINTERS[output](results)
    return Exit.OK if all(each.passed for each in _cases(results)) else Exit.FINDINGS


def _cases(results: Results) -> list[CaseResult]:
    return [case for file in results for case in file.cases]


def _table(results: Results) -> None:
    from admission.cli import console

    out = console.stdout()
    for each in results:
        _print_file(out, each)
    console.line(out, _summary(_cases(results)))


def _print_file(out: Console, result: FileResult) -> None:
    from admission.cli import console

    for problem in result.problems:
        console.line(out, (str(problem), "red"), hang=_HANG)
    if result.problems:
        return
    console.line(out, (result.file, "bold"), hang=_HANG)
    for remark in result.remarks:
        console.line(out, "  ", (remark, "yellow"), hang=_HANG)
    for case in result.cases:
        _print_case(out, case)


def _print_case(out: Console, result: CaseResult) -> None:
    from admission.cli import console

    if result.passed:
        console.line(out, "  ", ("✓", "green"), f" {result.name}", hang=_HANG)
        return
    console.line(out, "  ", ("✗", "bold red"), f" {result.name}", "   ", (result.source, console.QUIET), hang=_HANG)
    for failure in result.failures:
        console.line(out, "      ", (": ".join(filter(None, (failure.what, failure.message))), "red"), hang=8)
        console.diff(out, failure.diff, indent="      ")


def _summary(results: Sequence[CaseResult]) -> tuple[str, str]:
    passed = sum(result.passed for result in results)
    failed = len(results) - passed
    return f"{passed} passed, {failed} failed", "bold red" if failed else "bold green"


def _json(results: Results) -> None:
    import json

    from admission.cli import console

    cases = [_case(each.file, case) for each in results for case in each.cases]
    remarks = [{"file": each.file, "message": remark} for each in results for remark in each.remarks]
    passed = sum(case.passed for case in _cases(results))
    told = {"cases": cases, "remarks": remarks, "passed": passed, "failed": len(cases) - passed}
    console.raw(json.dumps(told, indent=2, ensure_ascii=False))


def _case(file: str, result: CaseResult) -> dict[str, object]:
    failures = [{"what": each.what, "message": each.message, "diff": each.diff} for each in result.failures]
    return {
        "file": file,
        "source": result.source,
        "name": result.name,
        "passed": result.passed,
        "failures": failures,
    }


def _junit(results: Results) -> None:
    from admission.cli import console
    from admission.offline.junit import to_junit

    console.raw(to_junit(results))


_Printer: TypeAlias = Callable[[Results], None]
_PRINTERS: Final[dict[Format, _Printer]] = {Format.TABLE: _table, Format.JSON: _json, Format.JUNIT: _junit}
