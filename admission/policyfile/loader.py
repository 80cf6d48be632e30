"""Policies from files, directories, presets and standard input: all of them, or every problem of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, Final, TextIO

from pydantic import ValidationError

from admission.engine.policy import Policy, PolicySet
from admission.errors import PolicyError, Problem
from admission.policyfile.checks import check_alone
from admission.policyfile.conflicts import check_together
from admission.policyfile.document import API_VERSION, KIND, StatusPolicyModel
from admission.policyfile.draft import Draft
from admission.policyfile.lines import Lines
from admission.policyfile.notes import Read, notes
from admission.policyfile.problems import problems_of
from admission.policyfile.sources import Source, opened_sources
from admission.policyfile.wording import found
from admission.policyfile.yamlfile import parse_documents

SUITE_KIND: Final = "Suite"


@dataclass(frozen=True, slots=True)
class Loaded:
    """The policies that are right, the problems of the others, and how many documents or files those are.

    ``notes`` tell what is allowed in the policies that are right, and yet hardly meant; ``read`` are these policies
    with their lines.
    """

    policies: PolicySet
    problems: tuple[Problem, ...] = ()
    skipped: int = 0
    notes: tuple[Problem, ...] = ()
    read: tuple[Read, ...] = ()


def load_policies(sources: Sequence[Source], *, stdin: BinaryIO | TextIO | None = None) -> PolicySet:
    """All policies of all sources.

    Raises:
        PolicyError: something is wrong; with every problem of every file.
    """
    return _whole(read_policies(sources, stdin=stdin))


def read_policies(sources: Sequence[Source], *, stdin: BinaryIO | TextIO | None = None) -> Loaded:
    """The policies that are right, and every problem of the others. Raises nothing."""
    drafts: list[Draft] = []
    problems: list[Problem] = []
    skipped = 0
    for opened in opened_sources(sources, stdin):
        if isinstance(opened, PolicyError):
            problems += opened.problems or (Problem("", 0, "", str(opened)),)
            skipped += 1
            continue
        file, content = opened
        documents, unreadable = parse_documents(content, file)
        drafts += (_draft(document.data, document.lines, file) for document in documents)
        problems += unreadable
        skipped += bool(unreadable)
        if not documents and not unreadable:
            problems.append(Problem(file, 0, "", f"has no policy in it; write one of kind {KIND}"))
            skipped += 1
    loaded = _loaded(drafts)
    told = _in_reading_order([*problems, *loaded.problems])
    return replace(loaded, problems=told, skipped=skipped + loaded.skipped)


def policies_from_data(data: Any, lines: Lines, file: str) -> list[Policy]:
    """The policies that stand in a file of another kind: one document, or a list of documents, with their lines.

    Raises:
        PolicyError: with every problem.
    """
    documents = data if isinstance(data, list) else [data]
    places = [lines.below((at,)) for at in range(len(documents))] if isinstance(data, list) else [lines]
    drafts = [_draft(document, place, file) for document, place in zip(documents, places, strict=True)]
    return list(_whole(_loaded(drafts)).policies)


def _whole(loaded: Loaded) -> PolicySet:
    if loaded.problems:
        raise PolicyError(loaded.problems)
    return loaded.policies


def _loaded(drafts: Sequence[Draft]) -> Loaded:
    check_together(drafts)
    problems = [problem for draft in drafts for problem in draft.problems]
    right = [Read(draft.policy, draft.lines) for draft in drafts if draft.policy is not None and not draft.problems]
    policies = PolicySet.of(read.policy for read in right)
    told, noted = _in_reading_order(problems), _in_reading_order(notes(right))
    return Loaded(policies, told, len(drafts) - len(right), noted, tuple(right))


def _in_reading_order(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    files = {file: at for at, file in enumerate(dict.fromkeys(problem.file for problem in problems))}
    return tuple(sorted(problems, key=lambda problem: (files[problem.file], problem.line)))


# --- one document ----------------------------------------------------------------------------------------------------


def _draft(data: Any, lines: Lines, file: str) -> Draft:
    misplaced = _not_a_policy(data)
    if misplaced is not None:
        draft = Draft(file, lines, None)
        draft.report(*misplaced)
        return draft
    draft = Draft.of(data, lines, file)
    try:
        draft.policy = StatusPolicyModel.model_validate(data).compile(draft.source)
    except ValidationError as error:
        draft.problems += problems_of(error, StatusPolicyModel, file, lines)
    check_alone(draft)
    return draft


def _not_a_policy(data: Any) -> tuple[tuple[str, ...], str] | None:
    """Where and why a document is something else: then nothing in it is judged as a policy."""
    if not isinstance(data, dict):
        return (), f"expected a policy, found {found(data)}; write a map with apiVersion, kind, metadata and spec"
    version, kind = data.get("apiVersion", API_VERSION), data.get("kind", KIND)
    if version == API_VERSION and kind == SUITE_KIND:
        return ("kind",), "is a Suite, not a policy; run it with: statuscap test"
    if kind != KIND:
        return ("kind",), f"{found(kind)} is not known here; write {KIND}"
    if version != API_VERSION:
        return ("apiVersion",), f"{found(version)} is not known; write {API_VERSION}"
    return None
