"""A policy document as far as it can be read: a mistake in one place must not hide one in another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final, TypeVar

from pydantic import ValidationError

from admission.engine.attributes import STATUS
from admission.engine.fieldpath import EveryEntry, FieldPath, Items, Segment
from admission.engine.holdback import SUPPRESS
from admission.engine.policy import Mode, Policy
from admission.engine.steps import Budget
from admission.errors import FieldPathError, Problem
from admission.policyfile.document import TrimEntry, TrimModel
from admission.policyfile.fields import TOP_LEVEL, Model
from admission.policyfile.lines import Lines, Loc
from admission.policyfile.match import ResourceRuleModel
from admission.policyfile.models import STEP_MODELS
from admission.policyfile.requirements import RequirementModel
from admission.policyfile.wording import dotted

M = TypeVar("M", bound=Model)


@dataclass(slots=True)
class Draft:
    """What is readable of one policy, by its place in the document, and the problems that were found so far."""

    file: str
    lines: Lines
    data: Any
    rules: dict[Loc, ResourceRuleModel] = field(default_factory=dict)
    asked: dict[Loc, FieldPath] = field(default_factory=dict)
    """What all requirements ask for, by the place of each; of those on an item from the object on."""
    entries: dict[Loc, TrimEntry] = field(default_factory=dict)
    """The entries whose steps change something themselves: in place of a budget those that it holds."""
    paths: dict[Loc, FieldPath] = field(default_factory=dict)
    """The paths of all steps, rules and limits, also of those that have other problems."""
    problems: list[Problem] = field(default_factory=list)
    policy: Policy | None = None

    @classmethod
    def of(cls, data: Any, lines: Lines, file: str) -> Draft:
        """Read what can be read."""
        entries = list(_entries(data))
        acting = {loc: _valid(TrimModel, _at(data, loc)) for loc in entries if not _holds_others(data, loc)}
        return cls(
            file,
            lines,
            data,
            rules=_readable(ResourceRuleModel, data, ("spec", "match", "resources")),
            asked=dict([*_asked_of_objects(data, entries), *_asked_of_items(data, entries)]),
            entries={loc: entry for loc, entry in acting.items() if entry is not None},
            paths=dict([*_paths(data, entries), *_suppress_paths(data), *_limit_paths(data)]),
        )

    @property
    def name(self) -> str | None:
        """The policy's name, if it has one."""
        name = _at(self.data, ("metadata", "name"))
        return name if isinstance(name, str) else None

    @property
    def root(self) -> str:
        """The member that it trims, as far as that can be read."""
        root = _at(self.data, ("spec", "root"))
        return root if isinstance(root, str) and root.isidentifier() and root not in TOP_LEVEL else STATUS

    @property
    def allows_core(self) -> bool:
        """True when it may name groups that the API server serves itself."""
        return _at(self.data, ("spec", "allowCore")) is True

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


def _readable(model: type[M], data: Any, loc: Loc) -> dict[Loc, M]:
    """The items of the list at ``loc`` that are right, by their place."""
    items = {(*loc, at): _valid(model, item) for at, item in enumerate(_list_at(data, loc))}
    return {at: item for at, item in items.items() if item is not None}


def _valid(model: type[M], data: Any) -> M | None:
    try:
        return model.model_validate(data)
    except ValidationError:
        return None


def _limit_paths(data: Any) -> Iterator[tuple[Loc, FieldPath]]:
    limits: Loc = ("spec", "limits")
    for at in range(len(_list_at(data, limits))):
        path = _path(_at(data, (*limits, at, "path")))
        if path is not None:
            yield (*limits, at, "path"), path


def _suppress_paths(data: Any) -> Iterator[tuple[Loc, FieldPath]]:
    suppress: Loc = ("spec", SUPPRESS)
    for at in range(len(_list_at(data, suppress))):
        fields: Loc = (*suppress, at, "fields")
        for position in range(len(_list_at(data, fields))):
            path = _path(_at(data, (*fields, position)))
            if path is not None:
                yield (*fields, position), path


def _entries(data: Any, holder: Loc = ("spec", "trim")) -> Iterator[Loc]:
    """The places of all entries, those that a budget holds behind it."""
    for at in range(len(_list_at(data, holder))):
        entry: Loc = (*holder, at)
        yield entry
        yield from _entries(data, (*entry, *_STEPS_OF_A_BUDGET))


def _holds_others(data: Any, entry: Loc) -> bool:
    return bool(_list_at(data, (*entry, *_STEPS_OF_A_BUDGET)))


_STEPS_OF_A_BUDGET: Final = (Budget.kind, "steps")


def _paths(data: Any, entries: Sequence[Loc]) -> Iterator[tuple[Loc, FieldPath]]:
    for entry in entries:
        for kind in STEP_MODELS:
            step: Loc = (*entry, kind)
            several = [(*step, "paths", position) for position in range(len(_list_at(data, (*step, "paths"))))]
            for loc in [(*step, "path"), *several]:
                path = _path(_at(data, loc))
                if path is not None:
                    yield loc, path


def _asked_of_objects(data: Any, entries: Sequence[Loc]) -> Iterator[tuple[Loc, FieldPath]]:
    for when in [("spec", "match", "when"), *((*entry, "when") for entry in entries)]:
        for loc, requirement in _readable(RequirementModel, data, when).items():
            yield loc, requirement.field


def _asked_of_items(data: Any, entries: Sequence[Loc]) -> Iterator[tuple[Loc, FieldPath]]:
    """The requirements of pins, which are on the items of a list, and of evictions, on the entries of a map."""
    for entry, kind in product(entries, STEP_MODELS):
        step: Loc = (*entry, kind)
        path = _path(_at(data, (*step, "path")))
        if path is None:
            continue
        pins = range(len(_list_at(data, (*step, "keepWhere"))))
        lists: list[tuple[Loc, Segment]] = [((*step, "keepWhere", pin, "all"), Items()) for pin in pins]
        for asking, each in [*lists, ((*step, "evictWhere"), EveryEntry())]:
            for loc, requirement in _readable(RequirementModel, data, asking).items():
                yield loc, FieldPath((*path.segments, each, *requirement.field.segments))


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
