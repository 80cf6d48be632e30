"""Suites: found among files and directories, and run through the real handler."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from admission.engine.schema import UNKNOWN, Schemas
from admission.errors import FileError, PolicyError, Problem, ReviewError
from admission.offline.case import CaseResult, run_case
from admission.offline.convergence import convergence_of
from admission.offline.expectation import Failure
from admission.offline.objects import LARGEST_FILE
from admission.offline.suitefile import Suite, load_suites
from admission.policyfile.files import yaml_files, yaml_files_below
from admission.policyfile.presets import SUITE_SUFFIX
from admission.regularfile import is_directory, read

_KIND: Final = re.compile(rb"""^["']?kind["']?\s*:\s*["']?Suite["']?\s*(#.*)?$""", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FileResult:
    """How the cases of a file went, and what its suites say without an effect (one remark a suite).

    A file that cannot be read has its ``problems``, and a failed case for each.
    """

    file: str
    cases: tuple[CaseResult, ...]
    remarks: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def find_suites(paths: Sequence[str]) -> list[Path]:
    """The suite files among files and directories, in order, each once.

    Of a directory, with all below it but what is hidden: every ``*.suite.yaml`` and every file of kind ``Suite``.

    Raises:
        FileError: a path leads to nothing, or to neither a file nor a directory.
        PolicyError: a directory has no suite in it, or one below it cannot be read.
    """
    files: dict[Path, None] = {}
    for name in paths:
        path = Path(name)
        suites = list(_suites_below(path)) if is_directory(name) else [path]
        if not suites:
            raise PolicyError(f"{name}: there is no suite in it (*{SUITE_SUFFIX}, or a file of kind Suite)")
        files.update(dict.fromkeys(suites))
    return list(files)


def _suites_below(directory: Path) -> Iterator[Path]:
    for path in (*yaml_files(directory), *yaml_files_below(directory)):
        if path.is_file() and is_suite(path):
            yield path


def is_suite(path: Path) -> bool:
    """True for a file that is called or says that it is a suite."""
    try:
        return path.name.endswith(SUITE_SUFFIX) or _KIND.search(read(path, LARGEST_FILE)) is not None
    except FileError:  # whoever reads it as a policy says why
        return False


def run_suite(suite: Suite) -> Iterator[CaseResult]:
    """Put every case through the handler, in order; a case that makes no review fails."""
    for case in suite.cases:
        try:
            yield run_case(case, suite.policies)
        except ReviewError as error:
            yield CaseResult(case.name, case.source, (Failure("review", str(error)),))


def run_file(file: Path, now: int, schemas: Schemas = UNKNOWN) -> FileResult:
    """Run the suites of a file; one that cannot be read is a failed case for each problem, at its line.

    ``schemas`` are known to suites that have none of their own.
    """
    try:
        suites = load_suites(file, now)
    except PolicyError as error:
        problems = error.problems or (Problem(str(file), 0, "", str(error)),)
        return FileResult(str(file), tuple(map(_unreadable, problems)), problems=tuple(problems))
    knowing = [suite.knowing(schemas) for suite in suites]
    cases = tuple(result for suite in knowing for result in (*run_suite(suite), *_unsettled(suite)))
    return FileResult(str(file), cases, tuple(remark for suite in suites for remark in suite.remarks))


def _unsettled(suite: Suite) -> Iterator[CaseResult]:
    """A failed case for each policy, or pair of them, that does not converge on a sample that was made for it."""
    for unsettled in convergence_of(suite.policies).unsettled:
        problem = unsettled.problem
        failure = Failure("convergence", problem.message, tuple(f"  {line}" for line in unsettled.sample.splitlines()))
        yield CaseResult("the policies converge", f"{problem.file}:{problem.line}", (failure,))


def _unreadable(problem: Problem) -> CaseResult:
    source = f"{problem.file}:{problem.line}" if problem.line else problem.file
    message = ": ".join(filter(None, (problem.path, problem.message)))
    return CaseResult("the suite can be read", source, (Failure("file", message),))
