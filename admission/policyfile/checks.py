"""What is wrong with a policy although every field by itself is right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from admission.engine.attributes import STATUS
from admission.engine.condition import PROTECTED_FIELDS, is_conditions
from admission.engine.fieldpath import EveryEntry, FieldPath, Index, Items, Member, Segment
from admission.engine.holdback import SUPPRESS
from admission.engine.licence import Licence
from admission.engine.steps import CapMap, Drop, FitSchema, Truncate
from admission.engine.values import Key, Trail
from admission.policyfile.draft import Draft
from admission.policyfile.fields import TOP_LEVEL
from admission.policyfile.lines import Loc
from admission.policyfile.overlap import may_meet
from admission.policyfile.resources import NEVER, SERVED_GROUPS


def check_alone(draft: Draft) -> None:
    """Note what is wrong with one policy."""
    for loc, message in (*_resource_problems(draft), *_path_problems(draft)):
        draft.report(loc, message)


# --- resources -------------------------------------------------------------------------------------------------------


def _resource_problems(draft: Draft) -> Iterator[tuple[Loc, str]]:
    for loc, rule in draft.rules.items():
        for position, group in enumerate(rule.api_groups):
            if group in SERVED_GROUPS and not draft.allows_core:
                name = group or "the core group"
                message = (
                    f"{name} is served by the API server itself; name a group of custom resources, or if you mean it "
                    "write allowCore: true"
                )
                yield (*loc, "apiGroups", position), message
        for position, resource in enumerate(rule.resources):
            if any((group, resource.partition("/")[0]) in NEVER for group in rule.api_groups):
                yield (
                    (*loc, "resources", position),
                    f"{resource} are heartbeats that no webhook may delay, with no policy ever; leave them out",
                )
            name, _, subresource = resource.partition("/")
            if name == "*" and draft.allows_core and not SERVED_GROUPS.isdisjoint(rule.api_groups):
                message = (
                    f"{resource} would match what nobody named in a group of the API server's own; name the resources"
                )
                yield (*loc, "resources", position), message
            if subresource and draft.root != STATUS:
                other = "name the resources" if name == "*" else f"write {name}"
                message = (
                    f"a write of {resource} changes the status alone, not {draft.root}; {other}, or leave out root"
                )
                yield (*loc, "resources", position), message


# --- paths -----------------------------------------------------------------------------------------------------------


def _path_problems(draft: Draft) -> Iterator[tuple[Loc, str]]:
    conditions = Licence.union(entry.step.compile().licence for entry in draft.entries.values()).conditions
    yield from _defaults_outside(draft)
    for loc, path in draft.paths.items():
        message = _outside(path, draft.root) or _not_to_be_changed(loc, path, conditions)
        if message:
            yield loc, message


def _defaults_outside(draft: Draft) -> Iterator[tuple[Loc, str]]:
    """Steps that name no path in a policy for another root than the one that their default is in."""
    for loc, entry in draft.entries.items():
        step: Loc = (*loc, entry.kind)
        if (*step, "path") not in draft.paths:
            for path in entry.step.compile().paths:
                if path not in draft.paths.values() and (message := _outside(path, draft.root)):
                    yield step, f"path is {path} unless given; {message.partition('; ')[2]}"


def _not_to_be_changed(loc: Loc, path: FieldPath, conditions: Sequence[FieldPath]) -> str | None:
    if CapMap.kind in loc:
        return _entries(path, conditions)
    if Drop.kind in loc:
        return _whole(path) or _protected(path, conditions) or _conditions(path, conditions)
    if SUPPRESS in loc:
        return _whole(path) or _protected(path, conditions)
    return _protected(path, conditions) if Truncate.kind in loc or FitSchema.kind in loc else None


def _whole(path: FieldPath) -> str | None:
    alone = len(path.segments) == 1
    return f"{path} is the whole root; name a field below it, for example {path}.log" if alone else None


def _outside(path: FieldPath, root: str) -> str | None:
    whole = FieldPath((Member(root),))
    example = f"{root}.{'conditions' if root == STATUS else 'items'}"
    if path == whole and root == STATUS:  # a status is a map; another root may be a list
        return f"{root} is the whole root; name a field below it, for example {example}"
    if path.segments[:1] == whole.segments:
        return None
    return f"{path} is outside the root; write a path below {root}, for example {_below(path, whole) or example}"


def _below(path: FieldPath, root: FieldPath) -> FieldPath | None:
    """The path below the root that was probably meant; None where the path leads elsewhere."""
    (name,) = root.segments
    if name in path.segments:  # status.results, where the root is results
        return FieldPath(path.segments[path.segments.index(name) :])
    first = path.segments[0] if path.segments else None
    inside = isinstance(first, Member) and first.name not in {*TOP_LEVEL, STATUS}
    return FieldPath((*root.segments, *path.segments)) if inside else None


def _protected(path: FieldPath, conditions: Sequence[FieldPath]) -> str | None:
    *_, item, last = path.segments if len(path.segments) > 1 else (None, None)
    if not (isinstance(last, Member) and last.name in PROTECTED_FIELDS and isinstance(item, Items | Index)):
        return None
    holder = path.parent.parent
    if not is_conditions(_as_trail(holder)) and not any(may_meet(holder, declared) for declared in conditions):
        return None
    return f"{path}: machines read the {last.name} of a condition; name another field, for example message"


def _conditions(path: FieldPath, declared: Sequence[FieldPath]) -> str | None:
    """What to say about a field that is a list of conditions; where a wildcard may lead to one, it is left alone."""
    whatever = isinstance(path.segments[-1], EveryEntry)
    same = [other for other in declared if may_meet(path, other)]
    meant = any(isinstance(other.segments[-1], EveryEntry) or not whatever for other in same)
    if not is_conditions(_as_trail(path)) and not meant:
        return None
    return f"{path}: no step removes a list of conditions; name a field of its items, for example {path}[*].message"


def _entries(path: FieldPath, declared: Sequence[FieldPath]) -> str | None:
    """What to say about a map whose entries no step removes: lists of conditions, or the fields of a condition.

    Where a wildcard may lead to such a map among others, its entries are left alone.
    """
    every = FieldPath((*path.segments, EveryEntry()))
    one = not isinstance(path.segments[-1], EveryEntry)
    whole = any(may_meet(every, other) and isinstance(other.segments[-1], EveryEntry) for other in declared)
    if one and (whole or is_conditions(_as_trail(every))):
        return f"{path}: no step removes a list of conditions; cap each of them, with capConditions on {every}"
    if not isinstance(path.segments[-1], Items | Index):
        return None
    if not is_conditions(_as_trail(path.parent)) and not any(may_meet(path.parent, other) for other in declared):
        return None
    return f"{path}: the entries of a condition are its fields, which machines read; name a map"


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
