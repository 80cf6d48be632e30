"""Resources as a rule names them, where the cluster may name them otherwise: without it that can only be guessed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from admission.engine.attributes import STATUS
from admission.engine.policy import Policy
from admission.errors import Problem
from admission.policyfile.lines import Loc
from admission.policyfile.notes.placed import Read
from admission.policyfile.resources import plural_of

WITHOUT_STATUS: Final = frozenset({("argoproj.io", "analysisruns"), ("argoproj.io", "applications")})
"""Group and resource of known kinds that have no status subresource: those of the policies that ship."""

_SUBRESOURCE: Final = f"/{STATUS}"


def singular_resources(policies: Sequence[Read]) -> Iterator[Problem]:
    """A rule that names no resource matches nothing, and nobody tells: nearly all of them end in ``s``."""
    for read, place, _, resource in _named(policies):
        name, slash, subresource = resource.partition("/")
        if name not in ("*", plural_of(name)):
            yield read.says(
                place,
                f"{name} looks like a singular, and a rule matches by the plural: {plural_of(name)}{slash}{subresource}"
                "; kubectl api-resources tells the name",
            )


def main_resources(policies: Sequence[Read]) -> Iterator[Problem]:
    """Writes to ``/status`` are no writes to the main resource: a rule for the one never sees the other."""
    for read, place, groups, resource in _named(policies):
        if "/" in resource or read.policy.root != STATUS or not _may_have_status(read.policy, groups, resource):
            continue
        yield read.says(
            place,
            f"{resource} matches writes to the main resource alone, which change the status only of a kind without "
            f"status subresource; most kinds have one: write {plural_of(resource)}{_SUBRESOURCE}",
        )


def _may_have_status(policy: Policy, groups: Sequence[str], resource: str) -> bool:
    """False where somebody thought of it: both forms are listed, or the kind is known."""
    if all((group, resource) in WITHOUT_STATUS for group in groups):
        return False
    beside = {(group, each) for rule in policy.match.resources for group in rule.groups for each in rule.resources}
    forms = (f"{resource}{_SUBRESOURCE}", f"*{_SUBRESOURCE}")
    return not all(any((group, form) in beside for form in forms) for group in groups)


def _named(policies: Sequence[Read]) -> Iterator[tuple[Read, Loc, Sequence[str], str]]:
    """Every resource that a rule names: its policy, its place, the groups of its rule."""
    for read in policies:
        for at, rule in enumerate(read.policy.match.resources):
            for position, resource in enumerate(rule.resources):
                yield read, ("spec", "match", "resources", at, "resources", position), rule.groups, resource
