"""What is wrong with a policy, or with several together, although every field by itself is right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import ValidationError

from admission.engine.attributes import STATUS
from admission.engine.condition import PROTECTED_FIELDS, is_conditions
from admission.engine.fieldpath import EveryEntry, FieldPath, Index, Items, Member, Segment
from admission.engine.licence import Licence
from admission.engine.policy import Mode, Policy
from admission.engine.values import Key, Trail
from admission.errors import FieldPathError, Problem
from admission.policyfile.document import ResourceRuleModel, TrimEntry, TrimModel
from admission.policyfile.fields import Model
from admission.policyfile.models import STEP_MODELS
from admission.policyfile.requirements import RequirementModel
from admission.policyfile.resources import NEVER, SERVED_GROUPS
from admission.policyfile.wording import dotted, quote
from admission.policyfile.yamlfile import Lines, Loc

M = TypeVar("M", bound=Model)

_ROOT = FieldPath((Member(STATUS),))
_TOP_LEVEL = frozenset({"apiVersion", "kind", "metadata", "spec"})


@dataclass(slots=True)
class Draft:
    """A policy document as far as it can be read: a mistake in one place must not hide one in another."""

    file: str
    lines: Lines
    data: Any
    rules: dict[Loc, ResourceRuleModel] = field(default_factory=dict)
    requirements: dict[Loc, RequirementModel] = field(default_factory=dict)
    entries: dict[Loc, TrimEntry] = field(default_factory=dict)
    paths: dict[Loc, FieldPath] = field(default_factory=dict)
    """The paths of all steps, also of those that have other problems."""
    problems: list[Problem] = field(default_factory=list)
    policy: Policy | None = None

    @classmethod
    def of(cls, data: Any, lines: Lines, file: str) -> Draft:
        """Read what can be read."""
        trim: Loc = ("spec", "trim")
        whens = [("spec", "match", "when"), *((*trim, at, "when") for at in range(len(_list_at(data, trim))))]
        return cls(
            file,
            lines,
            data,
            rules=_readable(ResourceRuleModel, data, ("spec", "match", "resources")),
            requirements={
                loc: found for when in whens for loc, found in _readable(RequirementModel, data, when).items()
            },
            entries=_readable(TrimModel, data, trim),
            paths=dict(_paths(data, trim)),
        )

    @property
    def name(self) -> str | None:
        """The policy's name, if it has one."""
        name = _at(self.data, ("metadata", "name"))
        return name if isinstance(name, str) else None

    @property
    def is_off(self) -> bool:
        """True when its mode is Off: it stands in nobody's way."""
        return bool(_at(self.data, ("spec", "mode")) == Mode.OFF.value)

    @property
    def source(self) -> str:
        """``file:line``."""
        return f"{self.file}:{self.lines.line}"

    def report(self, loc: Loc, message: str) -> None:
        """Note a problem at a place in the document."""
        self.problems.append(Problem(self.file, self.lines.at(loc), dotted(loc), message))


def check_alone(draft: Draft) -> None:
    """Note what is wrong with one policy."""
    for loc, message in (*_resource_problems(draft), *_path_problems(draft)):
        draft.report(loc, message)


def check_together(drafts: Sequence[Draft]) -> None:
    """Note what is wrong between policies: equal names, and requirements that another policy would bend."""
    _check_names(drafts)
    for draft in drafts:
        for loc, message in _requirement_problems(draft, drafts):
            draft.report(loc, message)


# --- resources -------------------------------------------------------------------------------------------------------


def _resource_problems(draft: Draft) -> Iterator[tuple[Loc, str]]:
    for loc, rule in draft.rules.items():
        for position, group in enumerate(rule.api_groups):
            if group in SERVED_GROUPS:
                name = group or "the core group"
                yield (
                    (*loc, "apiGroups", position),
                    f"{name} is served by the API server itself; name a group of custom resources",
                )
        for position, resource in enumerate(rule.resources):
            if any((group, resource.partition("/")[0]) in NEVER for group in rule.api_groups):
                yield (
                    (*loc, "resources", position),
                    f"{resource} are heartbeats that no webhook may delay, with no policy ever; leave them out",
                )


# --- paths -----------------------------------------------------------------------------------------------------------


def _path_problems(draft: Draft) -> Iterator[tuple[Loc, str]]:
    licence = Licence.union(entry.step.compile().licence for entry in draft.entries.values())
    for loc, path in draft.paths.items():
        message = _outside(path) or (_protected(path, licence.conditions) if path in licence.cutting else None)
        if message:
            yield loc, message


def _outside(path: FieldPath) -> str | None:
    if path == _ROOT:
        return f"{STATUS} is the whole root; name a field below it, for example status.conditions"
    if path.segments[:1] == _ROOT.segments:
        return None
    first = path.segments[0] if path.segments else None
    inside = isinstance(first, Member) and first.name not in _TOP_LEVEL
    below = str(FieldPath((*_ROOT.segments, *path.segments))) if inside else "status.conditions"
    return f"{path} is outside the root; write a path below {STATUS}, for example {below}"


def _protected(path: FieldPath, conditions: Sequence[FieldPath]) -> str | None:
    *_, item, last = path.segments if len(path.segments) > 1 else (None, None)
    if not (isinstance(last, Member) and last.name in PROTECTED_FIELDS and isinstance(item, Items | Index)):
        return None
    holder = path.parent.parent
    if not is_conditions(_as_trail(holder)) and not any(_may_meet(holder, declared) for declared in conditions):
        return None
    return f"{path}: machines read the {last.name} of a condition; name another field, for example message"


def _as_trail(path: FieldPath) -> Trail:
    """A trail that the path could lead to, as far as names matter."""
    return tuple(map(_as_key, path.segments))


def _as_key(segment: Segment) -> Key:
    match segment:
        case Member(name):
            return name
        case EveryEntry():
            return "*"
        case _:
            return 0


# --- requirements ----------------------------------------------------------------------------------------------------


def _requirement_problems(draft: Draft, drafts: Sequence[Draft]) -> Iterator[tuple[Loc, str]]:
    for other in drafts:
        if other is not draft and (draft.is_off or other.is_off or not _share_a_resource(draft, other)):
            continue
        for changed_at, changed in _changed(other):
            for loc, requirement in draft.requirements.items():
                if _leads_into(requirement.field, changed):
                    where = (
                        changed_at if other is draft else f"{changed_at} of {quote(other.name or '')} ({other.source})"
                    )
                    message = (
                        f"{requirement.field} is changed by {where}, which could change the answer; ask for another"
                    )
                    yield (*loc, "field"), message


def _changed(draft: Draft) -> Iterator[tuple[str, FieldPath]]:
    """What steps change in place, so that a requirement on it could hold before and not after."""
    for loc, entry in draft.entries.items():
        for path in entry.step.compile().licence.cutting:
            yield dotted((*loc, entry.kind)), path


def _share_a_resource(one: Draft, other: Draft) -> bool:
    return any(_rules_meet(rule, another) for rule in one.rules.values() for another in other.rules.values())


def _rules_meet(one: ResourceRuleModel, other: ResourceRuleModel) -> bool:
    versions = {*one.api_versions, *other.api_versions}
    return bool(
        set(one.api_groups) & set(other.api_groups)
        and ("*" in versions or set(one.api_versions) & set(other.api_versions))
        and any(_resources_meet(name, another) for name in one.resources for another in other.resources)
    )


def _resources_meet(one: str, other: str) -> bool:
    name, _, subresource = one.partition("/")
    another, _, other_subresource = other.partition("/")
    return subresource == other_subresource and (name == another or "*" in (name, another))


def _leads_into(path: FieldPath, changed: FieldPath) -> bool:
    """True when ``path`` can lead to what ``changed`` leads to, or to something inside of it."""
    length = len(changed.segments)
    return length <= len(path.segments) and _may_meet(FieldPath(path.segments[:length]), changed)


def _may_meet(one: FieldPath, other: FieldPath) -> bool:
    return len(one.segments) == len(other.segments) and all(map(_segments_meet, one.segments, other.segments))


def _segments_meet(one: Segment, other: Segment) -> bool:
    match one, other:
        case Member(), Member():
            return one == other
        case Index(index=left), Index(index=right):
            return left == right or (left < 0) != (right < 0)
        case (Member() | EveryEntry(), Member() | EveryEntry()) | (Items() | Index(), Items() | Index()):
            return True
        case _:
            return False


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


# --- reading what can be read ----------------------------------------------------------------------------------------


def _readable(model: type[M], data: Any, loc: Loc) -> dict[Loc, M]:
    """The items of the list at ``loc`` that are right, by their place."""
    items = {(*loc, at): _valid(model, item) for at, item in enumerate(_list_at(data, loc))}
    return {at: item for at, item in items.items() if item is not None}


def _valid(model: type[M], data: Any) -> M | None:
    try:
        return model.model_validate(data)
    except ValidationError:
        return None


def _paths(data: Any, trim: Loc) -> Iterator[tuple[Loc, FieldPath]]:
    for at in range(len(_list_at(data, trim))):
        for kind in STEP_MODELS:
            step: Loc = (*trim, at, kind)
            several = [(*step, "paths", position) for position in range(len(_list_at(data, (*step, "paths"))))]
            for loc in [(*step, "path"), *several]:
                path = _path(_at(data, loc))
                if path is not None:
                    yield loc, path


def _path(value: Any) -> FieldPath | None:
    try:
        return FieldPath.parse(value) if isinstance(value, str) else None
    except FieldPathError:
        return None


def _list_at(data: Any, loc: Loc) -> list[Any]:
    value = _at(data, loc)
    return value if isinstance(value, list) else []


def _at(data: Any, loc: Loc) -> Any:
    for key in loc:
        try:
            data = data[key]
        except (KeyError, IndexError, TypeError):
            return None
    return data
