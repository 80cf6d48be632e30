"""Making a failure small: members and items are left out as long as it still fails."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from msgspec.structs import replace as bent

from admission.engine.policy import Policy, Trim
from admission.engine.steps import Budget
from tests.engine.build import Json, go, raw
from tests.engine.oracle import problems
from tests.engine.pair import Pair
from tests.fuzz.judging import Oracle, wrong
from tests.fuzz.review import Review


def smaller(review: Review, oracle: Oracle = problems) -> Review:
    """The smallest review near this one that is still answered wrongly, in the same way."""
    shrunk, way = True, _way(wrong(review, oracle))
    while shrunk:
        shrunk = False
        for candidate in _candidates(review.pair):
            less = replace(review, pair=candidate)
            if _way(wrong(less, oracle)) == way:
                review, shrunk = less, True
                break
    return review


def _way(found: Sequence[str]) -> str:
    return found[0].partition(":")[0] if found else ""


def _candidates(pair: Pair) -> Iterator[Pair]:
    policies, attributes = pair.policies, pair.attributes
    for position in range(len(policies) if len(policies) > 1 else 0):
        yield pair.under(policies[:position] + policies[position + 1 :])
    for position, policy in enumerate(policies):
        for fewer in _smaller_policies(policy):
            yield pair.under((*policies[:position], fewer, *policies[position + 1 :]))
    if pair.openapi is not None:
        yield Pair.of(policies, attributes)
    if attributes.stored is not None:
        yield pair.sending(bent(attributes, stored=None))
        for stored in _smaller_values(json.loads(bytes(attributes.stored))):
            yield pair.sending(bent(attributes, stored=raw(go(stored))))
    for submitted in _smaller_values(json.loads(bytes(attributes.submitted))):
        yield pair.sending(bent(attributes, submitted=raw(go(submitted))))
    for openapi in _smaller_values(pair.openapi):
        yield Pair.of(policies, attributes, openapi)


def _smaller_policies(policy: Policy) -> Iterator[Policy]:
    for step in range(len(policy.trim)):
        yield replace(policy, trim=policy.trim[:step] + policy.trim[step + 1 :])
        for smaller in _smaller_entries(policy.trim[step]):
            yield replace(policy, trim=(*policy.trim[:step], *smaller, *policy.trim[step + 1 :]))
    for limit in range(len(policy.limits)):
        yield replace(policy, limits=policy.limits[:limit] + policy.limits[limit + 1 :])
    for rule in range(len(policy.suppress)):
        yield replace(policy, suppress=policy.suppress[:rule] + policy.suppress[rule + 1 :])
    for position, rules in enumerate(policy.suppress):
        for field in range(len(rules.fields) if len(rules.fields) > 1 else 0):
            fewer = replace(rules, fields=rules.fields[:field] + rules.fields[field + 1 :])
            yield replace(policy, suppress=(*policy.suppress[:position], fewer, *policy.suppress[position + 1 :]))
    if policy.match.when:
        yield replace(policy, match=replace(policy.match, when=()))


def _smaller_entries(entry: Trim) -> Iterator[tuple[Trim, ...]]:
    """Of a budget: its steps in its place, and with one of them less."""
    if isinstance(entry.step, Budget):
        inside = entry.step.steps
        yield inside
        for position in range(len(inside) if len(inside) > 1 else 0):
            fewer = inside[:position] + inside[position + 1 :]
            yield (replace(entry, step=replace(entry.step, steps=fewer)),)


def _smaller_values(value: Json) -> Iterator[Json]:
    """The value with one member, item or half a text less, the biggest parts first."""
    match value:
        case dict():
            for name in value:
                if name not in ("metadata", "status"):
                    yield {other: inner for other, inner in value.items() if other != name}
            for name, inner in value.items():
                yield from ({**value, name: less} for less in _smaller_values(inner))
        case list():
            for position in range(len(value)):
                yield value[:position] + value[position + 1 :]
            for position, inner in enumerate(value):
                yield from ([*value[:position], less, *value[position + 1 :]] for less in _smaller_values(inner))
        case str() if len(value) > 1:
            yield value[: len(value) // 2]
            yield value[len(value) // 2 :]
