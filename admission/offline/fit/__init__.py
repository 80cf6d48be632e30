"""Do policies fit the kinds that they are for? Each path and each rule, held against the CRDs that are known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from admission.crd.catalogue import Catalogue
from admission.crd.shape import Shape, Type
from admission.engine.fieldpath import EveryEntry
from admission.errors import Problem
from admission.offline.fit.demands import demands
from admission.offline.fit.kinds import Covered, covered
from admission.offline.fit.needs import LIST, MAP, Need, needs
from admission.offline.fit.remark import Kind, Remark
from admission.offline.fit.trace import Found, trace
from admission.policyfile.notes import Read


@dataclass(frozen=True, slots=True)
class Fit:
    """What does not fit, what is to be said besides, and notes of others about what is known better here."""

    problems: tuple[Problem, ...] = ()
    notes: tuple[Problem, ...] = ()


def fit(policies: Sequence[Read], catalogue: Catalogue, guesses: Sequence[Problem] = ()) -> Fit:
    """Hold policies against CRDs. ``guesses`` are notes that were made without; those that the CRDs answer go."""
    problems: list[Problem] = []
    notes: list[Problem] = []
    answered: set[tuple[str, int, str]] = set()
    for read in policies:
        found = covered(read.policy.match.resources, read.policy.root, catalogue)
        answered.update(_place(read.says(loc, "")) for loc in found.judged)
        problems += [read.says(loc, message) for loc, message in found.problems]
        notes += [read.says(loc, message) for loc, message in found.notes]
        for need in needs(read.policy):
            for remark, kinds in _judged(need, found):
                (problems if remark.wrong else notes).append(read.says(need.loc, remark.of(kinds)))
    left = [guess for guess in guesses if _place(guess) not in answered]
    return Fit(tuple(problems), (*left, *notes))


def _place(problem: Problem) -> tuple[str, int, str]:
    return problem.file, problem.line, problem.path


def _judged(need: Need, found: Covered) -> Iterator[tuple[Remark, list[Kind]]]:
    """What is to be said of one path, each with the kinds of which it is true.

    What fits no kind is wrong. Where it fits some, others are worth a note if the policy names them; what only may be
    there, since unknown fields are kept, is worth one if no kind is known to have it.
    """
    named, others = _remarks(need, found.named), _remarks(need, found.by_wildcard)
    everywhere = [*named, *others]
    if any(not remarks for _, remarks in everywhere):
        told = [(kind, [replace(each, wrong=False) for each in remarks if each.wrong]) for kind, remarks in named]
    elif any(not _is_wrong(remarks) for _, remarks in everywhere):
        possible = [(kind, remarks) for kind, remarks in others if not _is_wrong(remarks)]
        told = [(kind, [replace(each, wrong=False) for each in remarks]) for kind, remarks in (*named, *possible)]
    else:
        told = everywhere
    grouped: dict[Remark, list[Kind]] = {}
    for kind, remarks in told:
        for remark in remarks:
            grouped.setdefault(remark, []).append(kind)
    yield from grouped.items()


def _remarks(need: Need, kinds: Sequence[Kind]) -> list[tuple[Kind, list[Remark]]]:
    roots = [(kind, Shape(kind.version.openapi)) for kind in kinds]
    return [(kind, [*_about(need, root)]) for kind, root in roots if _applies(need, root)]


def _applies(need: Need, root: Shape) -> bool:
    """False for fields of items where there are no items; whoever judges the path of the step says so."""
    if need.within is None:
        return True
    of_a_map = isinstance(need.path.segments[len(need.within.segments)], EveryEntry)
    around = trace(root, need.within, MAP if of_a_map else LIST)
    return isinstance(around, Found) and around.shape.type in (MAP if of_a_map else LIST)


def _is_wrong(remarks: Sequence[Remark]) -> bool:
    return any(remark.wrong for remark in remarks)


def _about(need: Need, root: Shape) -> Iterator[Remark]:
    traced = trace(root, need.path, need.types)
    if isinstance(traced, Remark):
        if not any(isinstance(trace(root, other), Found) for other in need.others):
            yield traced
        return
    if traced.shape.type not in need.types | {Type.ANY}:
        wanted = need.wanted or " or ".join(sorted(need.types))
        yield Remark(f"{need.path} is {traced.shape.type} in", f"; {need.by} needs {wanted}")
    elif need.step is not None:
        yield from demands(root, need.path, traced, need.step)
