"""A write that nobody has made: an object and what is stored, drawn so that policies have something to do."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from msgspec import Raw

from admission.engine.attributes import Attributes
from admission.engine.policy import Policy
from admission.policyfile.convergence.dice import Dice, Json
from admission.policyfile.convergence.instants import NOW_TEXT
from admission.policyfile.convergence.molding import mold_of
from admission.policyfile.meetings import Where

_HTML: Final = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_HEAD: Final = ("apiVersion", "kind", "metadata")
_LONGEST_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class Sample:
    """One write. ``stored`` is None where the object is new."""

    where: Where
    submitted: dict[str, Json]
    stored: dict[str, Json] | None = None

    def attributes(self) -> Attributes:
        """The facts of the write, in the bytes that the API server would send."""
        where = self.where
        return Attributes(
            uid="",
            operation="CREATE" if self.stored is None else "UPDATE",
            group=where.group,
            version=where.version,
            resource=where.resource,
            subresource=where.subresource,
            name=_NAME,
            namespace=_NAMESPACE,
            submitted=encoded(self.submitted),
            stored=None if self.stored is None else encoded(self.stored),
            kind=_KIND,
            compact=True,
        )

    def at(self, where: Where) -> Sample:
        """The same write to another resource."""
        version = {"apiVersion": _api_version(where)}
        stored = None if self.stored is None else self.stored | version
        return Sample(where, self.submitted | version, stored)

    def told(self) -> dict[str, Any]:
        """The sample as a case of a suite has it; long texts are cut."""
        stored = {} if self.stored is None else {"oldObject": _shown(self.stored)}
        return {"now": NOW_TEXT, "object": _shown(self.submitted), **stored}


_NAME, _NAMESPACE, _KIND = "sample", "default", "Sample"


def samples(policies: Sequence[Policy], where: Where, count: int) -> Iterator[Sample]:
    """So many samples for policies that look at one resource; always the same ones for the same policies."""
    mold = mold_of(policies)
    seed = repr(list(map(deeds, policies)))
    roots = tuple(dict.fromkeys(policy.root for policy in policies))
    for number in range(count):
        dice = Dice(f"{seed} {number}")
        submitted = _object(where, dice.object(mold), roots)
        kind = number % 5  # a new object, an unchanged one, an unlike one, and twice one that is much alike
        if kind == 0:
            yield Sample(where, submitted)
            continue
        unlike = kind == 2
        other = submitted if kind == 1 else dice.object(mold) if unlike else dice.bent(submitted, mold)
        yield Sample(where, submitted, _stored(submitted, other, roots))


def deeds(policy: Policy) -> tuple[Any, ...]:
    """What a policy does, whatever it is called and whichever resources it is for."""
    return policy.root, policy.match.when, policy.trim, policy.suppress


def _stored(submitted: dict[str, Json], other: dict[str, Json], roots: Sequence[str]) -> dict[str, Json]:
    """The submitted object with other roots: with another spec, another decision would be no wonder."""
    rest = {name: each for name, each in submitted.items() if name not in roots}
    return rest | {root: other[root] for root in roots if root in other}


def _object(where: Where, members: dict[str, Json], roots: Sequence[str]) -> dict[str, Json]:
    metadata = members.get("metadata")
    named = {**(metadata if isinstance(metadata, dict) else {}), "name": _NAME, "namespace": _NAMESPACE}
    head = {"apiVersion": _api_version(where), "kind": _KIND, "metadata": named}
    return {
        **head,
        **{root: {} for root in roots},
        **{name: each for name, each in members.items() if name not in _HEAD},
    }


def _api_version(where: Where) -> str:
    return "/".join(filter(None, (where.group, where.version)))


def encoded(value: Json) -> Raw:
    """JSON as Go writes it: members sorted, no blanks, HTML escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    for character, escape in _HTML.items():
        text = text.replace(character, escape)
    return Raw(text.encode())


def _shown(value: Json) -> Json:
    match value:
        case dict():
            return {name: _shown(each) for name, each in value.items()}
        case list():
            return [_shown(each) for each in value]
        case str() if len(value) > _LONGEST_SHOWN:
            return f"{value[:_LONGEST_SHOWN]}… ({len(value.encode())} bytes in all)"
        case _:
            return value
