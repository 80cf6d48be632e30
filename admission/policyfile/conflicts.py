"""What is wrong between policies: equal names, and requirements that a step of another policy would bend."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from admission.engine.fieldpath import FieldPath
from admission.policyfile.draft import Draft
from admission.policyfile.lines import Loc
from admission.policyfile.overlap import leads_into
from admission.policyfile.wording import dotted, quote


def check_together(drafts: Sequence[Draft]) -> None:
    """Note what is wrong between policies, and between the steps and the requirements of each."""
    _check_names(drafts)
    index = _changes_by_endpoint(drafts)
    for draft in drafts:
        _check_requirements(draft, index)


# --- requirements ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Change:
    """A step that changes or drops values, so that a requirement on them could hold before it and not after."""

    draft: Draft
    place: str
    versions: frozenset[str]

    def meets(self, versions: Iterable[str]) -> bool:
        return "*" in self.versions or any(version in ("*", *self.versions) for version in versions)


_Changes: TypeAlias = Mapping[FieldPath, Sequence[_Change]]


def _changed(draft: Draft) -> Iterator[tuple[str, FieldPath]]:
    """Place and path of what the policy's steps change or drop."""
    for loc, entry in draft.entries.items():
        licence = entry.step.compile().licence
        fitting = (path for one in licence.fitting for path in one.paths)
        for path in (*licence.cutting, *licence.dropping, *fitting):
            yield dotted((*loc, entry.kind)), path


def _changes_by_endpoint(drafts: Sequence[Draft]) -> Mapping[str, Mapping[str, _Changes]]:
    """What policies change, by API group, resource and path: a thousand policies must not be compared in pairs."""
    index: defaultdict[str, defaultdict[str, defaultdict[FieldPath, list[_Change]]]]
    index = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for draft in drafts:
        changed = [] if draft.is_off else list(_changed(draft))
        for rule in draft.rules.values() if changed else ():
            for group, resource in product(rule.api_groups, rule.resources):
                for place, path in changed:
                    index[group][resource][path].append(_Change(draft, place, frozenset(rule.api_versions)))
    return index


def _check_requirements(draft: Draft, index: Mapping[str, Mapping[str, _Changes]]) -> None:
    own = list(_changed(draft)) if draft.asked else []
    for loc, asked in draft.asked.items():
        itself = next((place for place, path in own if leads_into(asked, path)), None)
        where = itself or (None if draft.is_off else _elsewhere(draft, asked, index))
        if where:
            message = f"{asked} is changed by {where}, which could change the answer; ask for another"
            draft.report((*loc, "field"), message)


def _elsewhere(draft: Draft, asked: FieldPath, index: Mapping[str, Mapping[str, _Changes]]) -> str | None:
    """The first step of another policy for the same resource that changes what is asked for."""
    for rule in draft.rules.values():
        for group, resource in product(rule.api_groups, rule.resources):
            for changes in _of_resource(index.get(group, {}), resource):
                for change in _leading_into(asked, changes):
                    if change.draft is not draft and change.meets(rule.api_versions):
                        return f"{change.place} of {quote(change.draft.name or '')} ({change.draft.source})"
    return None


def _of_resource(changes: Mapping[str, _Changes], resource: str) -> Iterator[_Changes]:
    """The changes to what a rule names: ``x/status`` is also in ``*/status``, and the other way round."""
    name, slash, subresource = resource.partition("/")
    if name == "*":
        yield from (found for endpoint, found in changes.items() if endpoint.endswith(f"/{subresource}"))
        return
    for endpoint in (resource, f"*/{subresource}") if slash else (resource,):
        if endpoint in changes:
            yield changes[endpoint]


def _leading_into(asked: FieldPath, changes: _Changes) -> Iterator[_Change]:
    return (change for path, found in changes.items() if leads_into(asked, path) for change in found)


# --- names -----------------------------------------------------------------------------------------------------------


def _check_names(drafts: Sequence[Draft]) -> None:
    first: dict[str, Draft] = {}
    loc: Loc = ("metadata", "name")
    for draft in drafts:
        if draft.name is None:
            continue
        earlier = first.setdefault(draft.name, draft)
        if earlier is not draft:
            place = f"{earlier.file}:{earlier.lines.at(loc)}"
            draft.report(loc, f"{quote(draft.name)} is also the name of the policy at {place}; rename one of them")
