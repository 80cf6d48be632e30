"""A write that nobody has made: an object and what is stored, drawn so that policies have something to do."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from msgspec import Raw

from admission.engine.attributes import Attributes
from admission.engine.instant import SECOND
from admission.engine.policy import Policy
from admission.engine.schema import Schema
from admission.engine.steps import FitSchema
from admission.policyfile.convergence.dice import Dice, Json
from admission.policyfile.convergence.instants import NOW, NOW_TEXT, rfc3339
from admission.policyfile.convergence.mold import Mold
from admission.policyfile.convergence.molding import mold_of
from admission.policyfile.convergence.owners import MANAGER, managers
from admission.policyfile.convergence.shaping import shape
from admission.policyfile.meetings import Where

_HTML: Final = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_HEAD: Final = ("apiVersion", "kind", "metadata")
_LONGEST_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class Sample:
    """One write. ``stored`` is None where the object is new.

    ``roots`` are the members that policies are for, ``schema`` is what is known of the kind. With ``written``
    (nanoseconds since the epoch) a controller owns the roots: what is stored it has written then.
    """

    where: Where
    submitted: dict[str, Json]
    stored: dict[str, Json] | None = None
    written: int | None = None
    roots: tuple[str, ...] = ()
    schema: Schema | None = None

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
            submitted=encoded(self._owned(self.submitted, NOW)),
            stored=None if self.stored is None else encoded(self._owned(self.stored, self.written)),
            kind=_KIND,
            field_manager=None if self.written is None else MANAGER,
            compact=True,
        )

    def at(self, where: Where) -> Sample:
        """The same write to another resource."""
        version = {"apiVersion": _api_version(where)}
        stored = None if self.stored is None else self.stored | version
        return replace(self, where=where, submitted=self.submitted | version, stored=stored)

    def told(self) -> dict[str, Any]:
        """The sample as a case of a suite has it; long texts are cut."""
        stored = {} if self.stored is None else {"oldObject": _shown(self._owned(self.stored, self.written))}
        return {"now": NOW_TEXT, "object": _shown(self._owned(self.submitted, NOW)), **stored}

    def _owned(self, members: dict[str, Json], time: int | None) -> dict[str, Json]:
        """The object with its managers, when it has some."""
        if self.written is None or time is None:
            return members
        managed = {"managedFields": managers(members, self.roots, self.schema, rfc3339(time))}
        return members | {"metadata": members.get("metadata", {}) | managed}


_NAME, _NAMESPACE, _KIND = "sample", "default", "Sample"


def samples(policies: Sequence[Policy], where: Where, count: int, schema: Schema | None = None) -> Iterator[Sample]:
    """So many samples for policies that look at one resource; always the same ones for the same policies.

    They have the form that a schema demands where it is known. Where heartbeats may be held back, every other one of
    those that are over something stored has a manager: without one nobody knows the age of what is not a time.
    """
    mold = mold_of(policies)
    _shape(mold, policies, schema)
    seed = repr(list(map(deeds, policies)))
    roots = tuple(dict.fromkeys(policy.root for policy in policies))
    ages = _ages(policies)
    for number in range(count):
        dice = Dice(f"{seed} {number}")
        submitted = _object(where, dice.object(mold), roots)
        kind = number % 5  # a new object, an unchanged one, an unlike one, and twice one that is much alike
        if kind == 0:
            yield Sample(where, submitted, roots=roots, schema=schema)
            continue
        unlike = kind == 2
        other = submitted if kind == 1 else dice.object(mold) if unlike else dice.bent(submitted, mold)
        turn = number // 5
        written = NOW - ages[turn // 2 % len(ages)] if ages and turn % 2 else None
        yield Sample(where, submitted, _stored(submitted, other, roots), written, roots, schema)


def _shape(mold: Mold, policies: Sequence[Policy], schema: Schema | None) -> None:
    """Everything that is read or changed, but what Kubernetes itself knows."""
    if schema is None or schema.kind != "object":
        return
    mold.needed |= {policy.root for policy in policies}
    to_the_limit = any(isinstance(entry.step, FitSchema) for policy in policies for entry in policy.acting)
    for name, inside in mold.members.items():
        known = schema.properties.get(name)
        if known is not None and name not in _HEAD:
            shape(inside, known, to_the_limit=to_the_limit)


def _ages(policies: Sequence[Policy]) -> list[int]:
    """How old what is stored may be, around what rules allow; nanoseconds."""
    most = dict.fromkeys(rule.max_staleness for policy in policies for rule in policy.suppress)
    return [age for each in most for age in (each // 2, each, each + SECOND)]


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
