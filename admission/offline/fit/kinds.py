"""The kinds that the rules of a policy cover, and rules that cover none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from admission.crd.catalogue import Catalogue
from admission.crd.definition import Definition
from admission.engine.attributes import STATUS
from admission.engine.match import ResourceRule
from admission.nearest import nearest
from admission.offline.fit.remark import Kind
from admission.policyfile.lines import Loc
from admission.policyfile.wording import one_of

_RULES: Final[Loc] = ("spec", "match", "resources")
_ANY: Final = "*"
_SUBRESOURCE: Final = f"/{STATUS}"


@dataclass(slots=True)
class Covered:
    """What the rules of a policy cover: kinds that they name, those that a wildcard stands for, and what is wrong.

    ``judged`` are the places of resources about which the CRDs know better than anybody who guesses.
    """

    named: list[Kind] = field(default_factory=list)
    by_wildcard: list[Kind] = field(default_factory=list)
    problems: list[tuple[Loc, str]] = field(default_factory=list)
    notes: list[tuple[Loc, str]] = field(default_factory=list)
    judged: set[Loc] = field(default_factory=set)


def covered(rules: Sequence[ResourceRule], root: str, catalogue: Catalogue) -> Covered:
    """What rules cover in a policy for a ``root``."""
    found = Covered()
    for at, rule in enumerate(rules):
        _Rule(rule, (*_RULES, at), root, catalogue, found).look()
    return found


@dataclass(frozen=True, slots=True)
class _Rule:
    rule: ResourceRule
    loc: Loc
    root: str
    catalogue: Catalogue
    found: Covered

    def look(self) -> None:
        for at, group in enumerate(self.rule.groups):
            known = self.catalogue.of(group)
            if known:
                self._group(group, known)
            else:
                self._unknown_group(group, (*self.loc, "apiGroups", at))

    def _unknown_group(self, group: str, place: Loc) -> None:
        close = nearest(group, self.catalogue.by_group)
        if close is not None:
            self.found.problems.append((place, f"no CRD is of the group {group}; did you mean {close}?"))
        else:
            message = f"no CRD of the group {group} is known, so what this rule covers in it is not checked"
            self.found.notes.append((place, message))

    def _group(self, group: str, known: Mapping[str, Definition]) -> None:
        for at, resource in enumerate(self.rule.resources):
            place: Loc = (*self.loc, "resources", at)
            self.found.judged.add(place)
            name, _, subresource = resource.partition("/")
            if name == _ANY:
                self._wildcard(group, known, place)
            elif name in known:
                self._resource(known[name], bool(subresource), place)
            else:
                self.found.problems.append((place, _unknown(group, name, resource, known, self.catalogue)))

    def _wildcard(self, group: str, known: Mapping[str, Definition], place: Loc) -> None:
        kinds = [
            Kind(definition, version)
            for definition in known.values()
            for version in definition.served
            if version.has_status and self.rule.covers_version(version.name)
        ]
        self.found.by_wildcard += kinds
        if not kinds:
            message = (
                f"no kind of the group {group} has a status subresource; name the resources without {_SUBRESOURCE}"
            )
            self.found.problems.append((place, message))

    def _resource(self, definition: Definition, on_status: bool, place: Loc) -> None:
        versions = [version for version in definition.served if self.rule.covers_version(version.name)]
        self._versions(definition)
        if self.root != STATUS:
            self.found.named += [Kind(definition, version) for version in versions]
            return
        right = [version for version in versions if version.has_status is on_status]
        self.found.named += [Kind(definition, version) for version in right]
        if len(right) < len(versions):
            others = [version.name for version in versions if version.has_status is not on_status]
            self.found.problems.append((place, _wrong_form(definition, on_status, others, all_of_them=not right)))

    def _versions(self, definition: Definition) -> None:
        served = {version.name for version in definition.served}
        known = {version.name for version in definition.versions}
        for at, version in enumerate(self.rule.versions):
            if version in served or version == _ANY:
                continue
            what = "does not serve its version" if version in known else "has no version"
            advice = f'write {one_of(sorted(served))}, or "*" for all' if served else "it serves none at all"
            problem = ((*self.loc, "apiVersions", at), f"{definition.name} {what} {version}; {advice}")
            if problem not in self.found.problems:
                self.found.problems.append(problem)


def _unknown(group: str, name: str, resource: str, known: Mapping[str, Definition], catalogue: Catalogue) -> str:
    """Why nothing has this name, and which name was meant."""
    tail = resource.removeprefix(name)
    for definition in known.values():
        if name in (definition.singular, definition.kind.lower()):
            plural = definition.plural
            return f"{name} is the singular of {plural}, and a rule names the plural; write {plural}{tail}"
        if name in definition.short_names:
            return f"{name} is a short name of {definition.plural}; write {definition.plural}{tail}"
    close = nearest(name, known)
    if close is not None:
        return f"no CRD of the group {group} has the resource {name}; did you mean {close}{tail}?"
    elsewhere = [other for other, definitions in catalogue.by_group.items() if name in definitions]
    if elsewhere:
        return f"no CRD of the group {group} has the resource {name}; {one_of(sorted(elsewhere))} has it"
    return f"no CRD of the group {group} has the resource {name}; it has {', '.join(sorted(known))}"


def _wrong_form(definition: Definition, on_status: bool, versions: Sequence[str], *, all_of_them: bool) -> str:
    """What a rule for the wrong one of ``x`` and ``x/status`` misses, and what to write."""
    name, plural = definition.name, definition.plural
    where = "" if all_of_them else f" in {', '.join(versions)}"
    mend = "write {}" if all_of_them else f"add a rule for {{}} with apiVersions: [{', '.join(versions)}]"
    if on_status:
        return f"{name} has no status subresource{where}; {mend.format(plural)}"
    told = f"{name} has a status subresource{where}: a write of {plural} leaves the status as it is stored"
    return f"{told}; {mend.format(plural + _SUBRESOURCE)}"
