"""Files of policies and suites, checked as a whole: what is wrong, and what is hardly meant."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from admission.crd.catalogue import Catalogue
from admission.errors import FileError, PolicyError, Problem
from admission.offline.convergence import CONVERGENT, Convergence, convergence_of
from admission.offline.explanation import Explanation
from admission.offline.fit import Fit, fit
from admission.offline.objects import LARGEST_FILE
from admission.offline.suite import is_suite
from admission.offline.suitefile import load_suites
from admission.policyfile.files import STDIN, yaml_files, yaml_files_below
from admission.policyfile.loader import read_policies
from admission.policyfile.presets import PREFIX
from admission.regularfile import is_directory, read

_IN_BRACES: Final = re.compile(rb"""["']?apiVersion["']?\s*:\s*["']?statuscap\.dev/""")
_IN_LINES: Final = re.compile(rb"^" + _IN_BRACES.pattern, re.MULTILINE)
"""What is indented belongs to something else, such as a ConfigMap with policies."""


@dataclass(frozen=True, slots=True)
class Checkup:
    """How many policies and suites were read, what is wrong with them, and what is allowed but hardly meant.

    ``crds`` is how many CRDs the policies were held against, None when none were given; ``explanations`` are of the
    policies that can be loaded.
    """

    policies: int
    suites: int
    problems: tuple[Problem, ...] = ()
    notes: tuple[Problem, ...] = ()
    convergence: Convergence = CONVERGENT
    crds: int | None = None
    explanations: tuple[Explanation, ...] = ()

    @property
    def found(self) -> int:
        """How much is wrong."""
        return len(self.problems) + len(self.convergence.unsettled)

    @property
    def clean(self) -> bool:
        """True when nothing is wrong."""
        return not self.found


def check_files(sources: Sequence[str], stdin: BinaryIO, catalogue: Catalogue | None = None) -> Checkup:
    """Load all policies together, judge whether they converge and fit the CRDs, and load every suite by itself.

    Raises:
        FileError: a path leads to nothing, or to neither a file nor a directory.
        PolicyError: there is neither a policy nor a suite, or a directory cannot be read.
    """
    files = list(dict.fromkeys(file for source in sources for file in _files(source)))
    suites = [file for file in files if file != STDIN and not file.startswith(PREFIX) and is_suite(Path(file))]
    sought = [file for file in files if file not in suites]
    if not files:
        raise PolicyError(f"{', '.join(sources)}: there is neither a policy nor a suite in it (*.yaml, *.yml, *.json)")
    loaded = read_policies(sought, stdin=stdin)
    policies = loaded.policies if catalogue is None else loaded.policies.knowing(catalogue.schemas)
    found = Fit(notes=loaded.notes) if catalogue is None else fit(loaded.read, catalogue, loaded.notes)
    problems = [*loaded.problems, *(problem for suite in suites for problem in _suite_problems(suite)), *found.problems]
    return Checkup(
        len(policies.policies),
        len(suites),
        _each_once(problems),
        found.notes,
        convergence_of(policies),
        None if catalogue is None else len(catalogue.definitions),
        tuple(map(Explanation.of, policies.policies)),
    )


def _files(source: str) -> list[str]:
    if source == STDIN or source.startswith(PREFIX):
        return [source]
    return list(map(str, _inside(Path(source)))) if is_directory(source) else [source]


def _inside(directory: Path) -> Iterator[Path]:
    """What a directory holds itself, as it would be loaded, and what below it says that it is a policy or a suite.

    Deeper down there is also what suites refer to: objects and schemas.
    """
    yield from yaml_files(directory)
    for file in yaml_files_below(directory):
        if is_suite(file) or _is_ours(file):
            yield file


def _is_ours(file: Path) -> bool:
    """True for a file whose apiVersion is ours, whatever its kind, and for one that cannot be read: so it is told."""
    try:
        content = read(file, LARGEST_FILE)
    except FileError:
        return True
    sought = _IN_BRACES if content.lstrip().startswith(b"{") else _IN_LINES
    return sought.search(content) is not None


def _suite_problems(file: str) -> Sequence[Problem]:
    try:
        load_suites(Path(file), now=0)
    except PolicyError as error:
        return error.problems or (Problem(file, 0, "", str(error)),)
    return ()


def _each_once(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """A policy that a suite refers to is read twice, and its problems told once."""
    return tuple(dict.fromkeys(problems))
