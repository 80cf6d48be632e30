"""What a policy can never do, whatever is written: derived from what its steps may change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from admission.engine.condition import is_conditions
from admission.engine.fieldpath import EveryEntry, FieldPath, Items, Member
from admission.engine.licence import Licence
from admission.engine.policy import Policy
from admission.offline.explanation.wording import sentence, together


def promises(policy: Policy) -> Iterator[str]:
    """One sentence for everything that it never does."""
    licence, changed = policy.licence, list(dict.fromkeys(_outermost(_changed(policy))))
    if changed:
        owners = "; in metadata.managedFields only who owns what was removed"
        yield sentence(f"never touches anything but {together(changed)}{owners}")
        yield from _of_conditions(licence, changed)
        yield from _of_lists(licence)
        yield from _of_values(policy)
        if not policy.suppress:
            yield sentence("never holds a write back that, trimmed, differs from what is stored")
    else:
        yield sentence("never touches anything")
    if not policy.rejects:
        yield sentence("never rejects a write")


def _changed(policy: Policy) -> Iterator[FieldPath]:
    """What its steps and rules may change."""
    licence = policy.licence
    yield from (*licence.shrinking, *licence.cutting, *licence.dropping)
    for one in licence.fitting:
        yield from one.paths or (FieldPath((Member(policy.root),)),)
    yield from (one.path for one in licence.evicting)
    yield from (
        FieldPath((*one.path.segments, Items(), Member(name))) for one in licence.restoring for name in one.fields
    )
    for rule in policy.suppress:
        yield from rule.fields


def _outermost(paths: Iterator[FieldPath]) -> Iterator[FieldPath]:
    """The paths of which no other one is the beginning."""
    known = list(paths)
    for path in known:
        if not any(len(other.segments) < len(path.segments) and _begins(path, other) for other in known):
            yield path


def _begins(path: FieldPath, other: FieldPath) -> bool:
    return path.segments[: len(other.segments)] == other.segments


def _of_conditions(licence: Licence, changed: Sequence[FieldPath]) -> Iterator[str]:
    if licence.conditions or licence.fitting or any(map(_may_lead_to_conditions, changed)):
        yield sentence("never changes type, status, reason or observedGeneration of a condition")
    shrinking = any(is_conditions(path.names[-1:]) or path in licence.conditions for path in licence.shrinking)
    shrinking = shrinking or bool(licence.fitting)
    if shrinking and not licence.leaving:
        yield sentence("never removes the last condition of a type")


def _may_lead_to_conditions(path: FieldPath) -> bool:
    return any(is_conditions((name,)) for name in path.names) or EveryEntry() in path.segments


def _of_lists(licence: Licence) -> Iterator[str]:
    if not licence.shrinking and not licence.fitting:
        yield sentence("never removes an item from a list")
    if not licence.reordering:
        yield sentence("never changes the order of a list")


def _of_values(policy: Policy) -> Iterator[str]:
    licence = policy.licence
    if not licence.cutting and not licence.fitting:
        yield sentence("never cuts a text")
    if not licence.dropping and not licence.evicting:
        yield sentence("never removes a field")
    stored = ", but for putting back what is stored" if policy.suppress or licence.restoring else ""
    yield sentence(f"never changes a number, a boolean or a time{stored}")
