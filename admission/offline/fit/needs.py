"""What a policy takes for granted about its kinds: each of its paths, and the type that is needed there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from admission.crd.shape import Type
from admission.engine.fieldpath import SELF, EveryEntry, FieldPath, Items, Member, Segment
from admission.engine.limits import Items as ItemsLimit
from admission.engine.limits import Length
from admission.engine.policy import Policy, Trim
from admission.engine.requirement import Requirement
from admission.engine.steps import Budget, Step
from admission.engine.steps.order import DEFAULT_TIME_FIELDS, EntryOrder, Order
from admission.engine.suppress import SuppressRule
from admission.engine.tolerance import Amount, Percent, Times
from admission.policyfile.lines import Loc

LIST: Final = frozenset({Type.LIST})
MAP: Final = frozenset({Type.MAP})
TEXT: Final = frozenset({Type.TEXT})
SCALAR: Final = frozenset({Type.TEXT, Type.NUMBER, Type.BOOLEAN})
NUMBER: Final = frozenset({Type.TEXT, Type.NUMBER})
WHATEVER: Final = frozenset(Type)


@dataclass(frozen=True, slots=True)
class Need:
    """A path of a policy, from the object on, that should lead to a value of one of these types.

    ``loc`` is its place in the document. Any of ``others`` will do instead. ``step`` is the step that works on the
    path, None where it is only read. ``within`` is the list or map that a path starts from: where that is something
    else, there is no need. ``by`` is what needs the type: the step's or the limit's name in the language. ``wanted``
    says what it needs, where the types do not say it.
    """

    loc: Loc
    path: FieldPath
    types: frozenset[Type] = WHATEVER
    by: str = ""
    step: Step | None = None
    others: tuple[FieldPath, ...] = ()
    within: FieldPath | None = None
    wanted: str = ""


def needs(policy: Policy) -> Iterator[Need]:
    """Everything that a policy takes for granted, in the order of its document."""
    yield from _asked(("spec", "match", "when"), policy.match.when)
    yield from _of_entries(policy.trim, ("spec", "trim"))
    for at, rule in enumerate(policy.suppress):
        for position, field in enumerate(rule.fields):
            yield Need(
                ("spec", "suppress", at, "fields", position), field, _covered(rule), "suppress", wanted=_wanted(rule)
            )
    for at, limit in enumerate(policy.limits):
        place: Loc = ("spec", "limits", at, "path")
        match limit.measure:
            case ItemsLimit(path):
                yield Need(place, path, LIST, "maxItems")
            case Length(path):
                yield Need(place, path, TEXT, "maxLength")
            case _:
                pass


_TYPES: Final = {
    "capConditions": LIST,
    "capList": LIST,
    "expire": LIST,
    "dedupe": LIST,
    "restoreTimes": LIST,
    "capMap": MAP,
    "truncate": TEXT,
    "fitSchema": TEXT | LIST,
}
"""What the paths of a step lead to; those of any other step may lead to whatever is there."""


def _of_entries(entries: Sequence[Trim], loc: Loc) -> Iterator[Need]:
    for at, entry in enumerate(entries):
        yield from _asked((*loc, at, "when"), entry.when)
        yield from _of_step(entry.step, (*loc, at, entry.step.kind))


def _of_step(step: Step, loc: Loc) -> Iterator[Need]:
    types = _TYPES.get(step.kind, WHATEVER)
    if isinstance(step, Budget):
        yield from _of_entries(step.steps, (*loc, "steps"))
        return
    several = not hasattr(step, "path")
    for at, path in enumerate(step.paths):
        place = (*loc, "paths", at) if several else (*loc, "path")
        yield Need(place, path, types, step.kind, step)
    if not several:
        (path,) = step.paths
        item: Segment = EveryEntry() if types == MAP else Items()
        yield from _of_items(step, loc, FieldPath((*path.segments, item)))


def _of_items(step: Step, loc: Loc, item: FieldPath) -> Iterator[Need]:
    """The fields of items that a step reads or changes: those that somebody wrote down."""
    for name, fields in _FIELDS.items():
        value = getattr(step, fields.attribute, None)
        if value is not None:
            for place, field in fields.of(value):
                yield Need((*loc, name, *place), _below(item, field), within=item.parent)
    times: tuple[str, ...] = getattr(step, "time_fields", DEFAULT_TIME_FIELDS)
    if times and times != DEFAULT_TIME_FIELDS:  # an item has one of them, as a rule
        first, *others = (_below(item, FieldPath((Member(name),))) for name in times)
        yield Need((*loc, "timeFields"), first, others=tuple(others), within=item.parent)


def _below(item: FieldPath, field: FieldPath) -> FieldPath:
    return FieldPath((*item.segments, *field.segments))


@dataclass(frozen=True, slots=True)
class _Fields:
    """Where a step keeps fields of items, and how they are read from there, each with its place."""

    attribute: str
    of: Callable[[Any], Iterable[tuple[Loc, FieldPath]]]


def _named(names: Sequence[str]) -> Iterator[tuple[Loc, FieldPath]]:
    return (((at,), FieldPath((Member(name),))) for at, name in enumerate(names))


def _paths(paths: Sequence[FieldPath]) -> Iterator[tuple[Loc, FieldPath]]:
    return (((at,), path) for at, path in enumerate(paths))


def _one(name: str) -> Iterator[tuple[Loc, FieldPath]]:
    yield (), FieldPath((Member(name),))


def _order(order: Order | EntryOrder) -> Iterator[tuple[Loc, FieldPath]]:
    by = order.by if isinstance(order, EntryOrder) else order
    if by is not None and by.by != SELF:
        yield ("by",), by.by


def _pins(pins: Sequence[Any]) -> Iterator[tuple[Loc, FieldPath]]:
    for at, pin in enumerate(pins):
        for position, requirement in enumerate(pin.all):
            yield (at, "all", position, "field"), requirement.field


def _requirements(requirements: Sequence[Requirement]) -> Iterator[tuple[Loc, FieldPath]]:
    return (((at, "field"), requirement.field) for at, requirement in enumerate(requirements))


_FIELDS: Final[dict[str, _Fields]] = {
    "typeField": _Fields("type_field", _one),
    "keys": _Fields("keys", _paths),
    "ignoring": _Fields("ignoring", _named),
    "fields": _Fields("fields", _named),
    "unless": _Fields("unless", _named),
    "order": _Fields("order", _order),
    "keepWhere": _Fields("keep_where", _pins),
    "evictWhere": _Fields("evict_where", _requirements),
}


def _covered(rule: SuppressRule) -> frozenset[Type]:
    """The types of the leaves that a rule can cover."""
    match rule.tolerance:
        case Times():
            return TEXT
        case Percent() | Amount():
            return NUMBER
        case _:
            return SCALAR


def _wanted(rule: SuppressRule) -> str:
    """What a field has to hold: that times alone are covered, unless the rule says more, is no matter of types."""
    return "a time, or within (a number) or anyValue" if isinstance(rule.tolerance, Times) else ""


def _asked(loc: Loc, requirements: Sequence[Requirement]) -> Iterator[Need]:
    for place, field in _requirements(requirements):
        yield Need((*loc, *place), field)
