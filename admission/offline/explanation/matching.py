"""Which writes a policy looks at, and what its mode makes of them, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final

from admission.engine.labels import LabelExpression, LabelOperator
from admission.engine.match import Globs, Match, ResourceRule
from admission.engine.policy import Mode, Policy
from admission.offline.explanation.wording import all_of, sentence, together

_MODES: Final = {
    Mode.ENFORCE: "Enforced: it changes writes.",
    Mode.WARN: "Changes nothing as long as its mode is Warn: writers and the decision log are told what it would do.",
    Mode.DRY_RUN: "Changes nothing as long as its mode is DryRun: the decision log tells what it would do.",
    Mode.OFF: "Does nothing as long as its mode is Off.",
}


def mode_told(policy: Policy) -> str:
    """What becomes of all that follows."""
    if policy.outside is not None:
        others = "of the others the decision log tells what it would do"
        return f"{policy.mode.value} for {policy.rollout} percent of the objects, always the same ones; {others}."
    return _MODES[policy.mode]


def match_told(match: Match) -> Iterator[str]:
    """Which writes it looks at."""
    yield sentence(f"looks at {together(_resources(match.resources))}")
    for globs, what in ((match.namespaces, "namespaces"), (match.names, "objects named"), (match.users, "writes by")):
        yield from _globs_told(globs, what)
    if match.selector is not None and match.selector.expressions:
        yield sentence(f"only objects with labels where {together(map(_label, match.selector.expressions))}")
    if match.when:
        yield sentence(f"only while {all_of(match.when)}")


def _resources(rules: Sequence[ResourceRule]) -> Iterator[str]:
    """What it looks at, those of one subresource together."""
    named: dict[str, list[str]] = {}
    for rule in rules:
        versions = "" if "*" in rule.versions else f" in {together(rule.versions, 'or')}"
        for group, (name, _, subresource) in product(rule.groups, (each.partition("/") for each in rule.resources)):
            of_group = f"every kind of {group}" if name == "*" else ".".join(filter(None, (name, group)))
            named.setdefault(subresource, []).append(f"{of_group}{versions}")
    for subresource, names in named.items():
        yield f"{f'{subresource} ' if subresource else ''}writes of {together(names)}"


def _globs_told(globs: Globs, what: str) -> Iterator[str]:
    if globs.include != ("*",):
        yield sentence(f"only {what} {together(globs.include, 'or')}")
    if globs.exclude:
        yield sentence(f"no {what} {together(globs.exclude, 'or')}")


def _label(expression: LabelExpression) -> str:
    match expression.operator:
        case LabelOperator.IN:
            return f"{expression.key} is {together(expression.values, 'or')}"
        case LabelOperator.NOT_IN:
            return f"{expression.key} is not {together(expression.values, 'or')}"
        case LabelOperator.EXISTS:
            return f"{expression.key} is there"
        case LabelOperator.DOES_NOT_EXIST:
            return f"{expression.key} is absent"
