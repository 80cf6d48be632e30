"""What must hold of a write for a policy to have anything to do with it, as CEL.

Each condition is necessary, not sufficient: where it is false, the engine changes nothing, rejects nothing, warns of
nothing and holds nothing back. The first step that does something works on what was sent, so that each can be judged by
itself. ``when``, names, namespaces, users and rollouts are left out: they only make it less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from admission.engine.limits import Items, Length, Limit
from admission.engine.policy import Policy
from admission.engine.steps import (
    Budget,
    CapConditions,
    CapList,
    CapMap,
    Dedupe,
    Drop,
    Expire,
    RestoreTimes,
    Step,
    Truncate,
)
from admission.prefilter.guarded import Cel, Test, all_of, any_of, anything, differs, is_list, is_map, is_text, reaches

_BYTES_OF_A_CODE_POINT: Final = 4  # at most


@dataclass(frozen=True, slots=True)
class Undecided:
    """Why CEL cannot tell."""

    reason: str


Need: TypeAlias = Cel | Undecided
"""An expression that is true whenever there is something to do."""


def need_of(policy: Policy) -> Need:
    """When a policy may have something to do in the mutating phase."""
    return _any([*_needs_of_steps(policy), *_needs_of_rules(policy), *_needs_of_limits(policy)])


def need_of_limits(policy: Policy) -> Need:
    """When a policy may have something to do in the validating phase."""
    return _any([*_needs_of_limits(policy)])


def _any(needs: list[Need]) -> Need:
    undecided = next((need for need in needs if isinstance(need, Undecided)), None)
    if undecided is not None:
        return undecided
    return any_of([need for need in needs if isinstance(need, Cel)])


def _needs_of_steps(policy: Policy) -> Iterator[Need]:
    for entry in policy.trim:
        yield _need_of_step(entry.step)


def _need_of_step(step: Step) -> Need:
    if isinstance(step, Budget):
        return _any([_need_of_step(entry.step) for entry in step.steps])
    test = _TESTS.get(type(step))
    if test is None:
        return Undecided(f"{step.kind} goes by the schema of the kind, which CEL does not see")
    found = any_of([reaches(path, test(step)) for path in step.paths])
    return all_of(found, differs(step.path)) if isinstance(step, RestoreTimes) else found


def _longer(most: int) -> Test:
    return lambda value: all_of(is_list(value), f"size({value}) > {most}").text


def _longer_text(most: int) -> Test:
    """``size`` of a text counts code points."""
    return lambda value: all_of(is_text(value), f"size({value}) > {most}").text


def _more_entries(most: int) -> Test:
    return lambda value: all_of(is_map(value), f"size({value}) > {most}").text


_TESTS: Final[Mapping[type[Step], Callable[[Any], Test]]] = {
    CapConditions: lambda step: _longer(step.max),
    CapList: lambda step: _longer(step.max),
    Expire: lambda step: _longer(step.keep_newest),
    Dedupe: lambda step: _longer(1),
    CapMap: lambda step: _more_entries(step.max),
    Truncate: lambda step: _longer_text(step.max_bytes // _BYTES_OF_A_CODE_POINT),
    Drop: lambda step: anything,
    RestoreTimes: lambda step: _longer(0),
}
"""What has to be true of a value that the paths of a step lead to."""


def _needs_of_rules(policy: Policy) -> Iterator[Need]:
    """A write that is held back differs from what is stored, and only where a rule leads to."""
    for rule in policy.suppress:
        yield any_of([differs(path) for path in rule.fields])


def _needs_of_limits(policy: Policy) -> Iterator[Need]:
    for limit in policy.limits:
        yield _need_of_limit(limit)


def _need_of_limit(limit: Limit) -> Need:
    match limit.measure:
        case Items(path=path):
            return reaches(path, _longer(limit.most))
        case Length(path=path):
            return reaches(path, _longer_text(limit.most))
        case _:
            return Undecided("maxBytes counts bytes as stored, and CEL counts no bytes")
