"""From policies to the mold of the objects that they look at.

Steps are read by what their fields hold (paths, requirements, numbers, names), so that a new step is understood
without a word here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from typing import Any, Final

from admission.engine.condition import STATUS, TYPE
from admission.engine.fieldpath import FieldPath, Member
from admission.engine.instant import SECOND, parse_duration
from admission.engine.pin import KeepWhere
from admission.engine.policy import Policy
from admission.engine.requirement import TIMED, Operator, Requirement
from admission.engine.steps import CapMap, Drop, FitSchema, Step, Truncate
from admission.engine.steps.order import DEFAULT_TIME_FIELDS, EntryOrder, Order, OrderKind
from admission.engine.steps.times import TRANSITION_TIME
from admission.engine.suppress import SuppressRule
from admission.engine.tolerance import AnyValue, Times
from admission.policyfile.convergence.mold import Mold

_PATHS: Final = frozenset({"path", "paths"})
_OF_TYPES: Final = "keep_types"
_NAMES: Final = frozenset({"fields", "unless", "ignoring", "time_fields", "type_field", _OF_TYPES})
_TIME_FIELDS_SHOWN: Final = 2  # the first that parses counts; more than two of them would only be noise
_SUFFIX: Final = "conditions"
_OF_CONDITIONS: Final = frozenset({"capConditions", "restoreTimes"})
_TYPES: Final = ("Ready", "Synced", "Healthy")
_STATUSES: Final = ("True", "False")


def mold_of(policies: Iterable[Policy]) -> Mold:
    """The mold of objects that all of the policies have something to do with."""
    mold = Mold()
    for policy in policies:
        _learn_requirements(mold, policy.match.when)
        for entry in policy.trim:
            _learn_requirements(mold, entry.when)
        for entry in policy.acting:
            _learn_requirements(mold, entry.when)
            _learn_step(mold, entry.step)
        for rule in policy.suppress:
            _learn_rule(mold, rule)
    return mold


def _learn_rule(mold: Mold, rule: SuppressRule) -> None:
    for path in rule.fields:
        leaf = mold.at(path)
        leaf.ages.add(rule.max_staleness)
        leaf.beats = True
        match rule.tolerance:
            case Times():
                leaf.is_time = True
            case AnyValue():
                leaf.is_text = True
            case _:
                leaf.is_number = True


def _learn_requirements(mold: Mold, requirements: Sequence[Requirement]) -> None:
    for requirement in requirements:
        _learn_requirement(mold, requirement)


def _learn_requirement(holder: Mold, requirement: Requirement) -> None:
    value = holder.at(requirement.field)
    if requirement.operator in TIMED:
        value.is_time = True
        value.ages.add(parse_duration(requirement.values[0]) or SECOND)
    elif requirement.operator in (Operator.LT, Operator.GT):
        value.is_number = True
        value.words.update(dict.fromkeys(requirement.values))
    elif requirement.values:
        value.is_text = True
        value.words.update(dict.fromkeys(requirement.values))


def _learn_step(mold: Mold, step: Step) -> None:
    places = [_Place.of(mold, path, step) for path in step.paths]
    for name, value in _parts(step):
        _learn_part(places, name, value)
    for place in places:
        place.finish()


def _parts(holder: Any) -> list[tuple[str, Any]]:
    return [(each.name, getattr(holder, each.name)) for each in fields(holder)] if is_dataclass(holder) else []


def _learn_part(places: Sequence[_Place], name: str, value: Any) -> None:
    match value:
        case bool() | Enum() | None:
            return
        case tuple():
            for position, each in enumerate(value):
                if name != "time_fields" or position < _TIME_FIELDS_SHOWN:
                    _learn_part(places, name, each)
        case _ if name not in _PATHS:
            for place in places:
                place.learn(name, value)


@dataclass(slots=True)
class _Place:
    """What a step works on, and, of a list or map, what stands in it."""

    value: Mold
    item: Mold | None
    holds_conditions: bool
    ages: set[int] = field(default_factory=set)
    """What the times of items are compared with, whichever they are."""

    @classmethod
    def of(cls, mold: Mold, path: FieldPath, step: Step) -> _Place:
        value = mold.at(path)
        if isinstance(step, Drop):
            return cls(value, None, holds_conditions=False)
        if isinstance(step, Truncate | FitSchema):
            value.is_text = True
            return cls(value, None, holds_conditions=False)
        last = path.segments[-1] if path.segments else None
        named_so = isinstance(last, Member) and last.name.lower().endswith(_SUFFIX)
        item = value.as_map() if isinstance(step, CapMap) else value.as_list()
        return cls(value, item, holds_conditions=named_so or step.kind in _OF_CONDITIONS)

    def learn(self, name: str, part: Any) -> None:
        """Learn from a part of the step what the value, or what stands in it, may hold."""
        match part:
            case int():
                self._learn_number(part)
            case str():
                self._learn_name(name, part)
            case _ if self.item is None:
                return
            case FieldPath():
                self._read(part)
            case Requirement():
                _learn_requirement(self.item, part)
            case KeepWhere(all=requirements):
                _learn_requirements(self.item, requirements)
            case Order(kind=kind, by=by) if by.segments:
                value = self._read(by)
                value.is_time = value.is_time or kind is OrderKind.TIME
                value.is_number = value.is_number or kind is OrderKind.NUMBER
            case EntryOrder(by=Order() as by):
                self.learn(name, by)
            case _:
                return

    def finish(self) -> None:
        """Give items something to tell them apart by."""
        if self.item is None:
            return
        for time in [value for value in self.item.members.values() if value.is_time]:
            time.ages |= self.ages
        if self.holds_conditions:
            self.item.member(TYPE).words.update(dict.fromkeys(_TYPES))
            self.item.member(STATUS).words.update(dict.fromkeys(_STATUSES))
            self.item.member(TRANSITION_TIME).is_time = True
        if not self.item.is_text:
            self.item.member("message").is_text = True

    def _learn_number(self, number: int) -> None:
        if number >= SECOND:
            self.ages.add(number)
        elif self.item is not None:
            self.value.counts.add(number)
        else:
            self.value.sizes.add(number)

    def _learn_name(self, name: str, text: str) -> None:
        if self.item is None or name not in _NAMES:
            return
        if name == _OF_TYPES:
            self.item.member(TYPE).words[text] = None
            return
        value = self.item.member(text)
        value.is_time = value.is_time or name == "time_fields" or text in DEFAULT_TIME_FIELDS
        value.is_text = value.is_text or not value.is_time

    def _read(self, path: FieldPath) -> Mold:
        assert self.item is not None, "only what has items is read in"  # noqa: S101
        value = self.item.at(path)
        value.is_text = value.is_text or not (value.is_time or value.is_number)
        return value
