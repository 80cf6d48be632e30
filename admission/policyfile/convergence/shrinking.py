"""Making a sample small: what can be left out while the same stays wrong is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from admission.policyfile.convergence.dice import Json
from admission.policyfile.convergence.sample import Sample
from admission.policyfile.convergence.shaping import lacks

MOST_ATTEMPTS: Final = 1_500
"""Smaller samples that are tried: some seconds, for something that somebody is to read."""

_KEPT: Final = frozenset({"apiVersion", "kind", "metadata"})


def smallest(sample: Sample, fails: Callable[[Sample], bool]) -> Sample:
    """The smallest sample near this one with which the same is wrong. What a schema demands is not left out."""
    attempts, shrunk, fitting = 0, True, _fits(sample)
    while shrunk:
        shrunk = False
        for candidate in _smaller(sample):
            if fitting and not _fits(candidate):
                continue
            attempts += 1
            if attempts > MOST_ATTEMPTS:
                return sample
            if fails(candidate):
                sample, shrunk = candidate, True
                break
    return sample


def _fits(sample: Sample) -> bool:
    """True when the roots have what a schema demands."""
    known = {} if sample.schema is None else sample.schema.properties
    sides = (sample.submitted, sample.stored or {})
    return not any(lacks(side.get(root), known.get(root)) for side in sides for root in sample.roots)


def _smaller(sample: Sample) -> Iterator[Sample]:
    if sample.stored is not None:
        yield replace(sample, stored=None, written=None)
    if sample.written is not None:
        yield replace(sample, written=None)
    for name in dict.fromkeys((*(sample.stored or ()), *sample.submitted)):
        if name not in _KEPT:
            yield from _with_less_of(sample, name)


def _with_less_of(sample: Sample, name: str) -> Iterator[Sample]:
    """The sample with less in a member. What both sides have alike stays alike: another spec may decide otherwise."""
    stored, submitted = sample.stored, sample.submitted
    if stored is None:
        yield from (replace(sample, submitted=less) for less in _objects_with_less_of(submitted, name))
    elif stored.get(name) == submitted.get(name):
        for less in _smaller_values(submitted[name]):
            yield replace(sample, submitted=submitted | {name: less}, stored=stored | {name: less})
    else:
        yield from (replace(sample, stored=less) for less in _objects_with_less_of(stored, name))
        yield from (replace(sample, submitted=less) for less in _objects_with_less_of(submitted, name))


def _objects_with_less_of(members: dict[str, Json], name: str) -> Iterator[dict[str, Json]]:
    if name in members:
        yield from (members | {name: less} for less in _smaller_values(members[name]))


def _smaller_values(value: Json) -> Iterator[Json]:
    """The value with less in it, the biggest parts first."""
    match value:
        case dict():
            for name in value:
                yield {other: inside for other, inside in value.items() if other != name}
            for name, inside in value.items():
                yield from ({**value, name: less} for less in _smaller_values(inside))
        case list():
            yield from _smaller_lists(value)
        case str() if len(value) > 1:
            yield value[: len(value) // 2]
            yield value[:-1]


def _smaller_lists(items: list[Json]) -> Iterator[Json]:
    size = len(items) // 2
    while size:
        for start in range(0, len(items), size):
            yield items[:start] + items[start + size :]
        size //= 2
    if len(items) == 1:
        yield []
    for position, item in enumerate(items):
        yield from ([*items[:position], less, *items[position + 1 :]] for less in _smaller_values(item))
