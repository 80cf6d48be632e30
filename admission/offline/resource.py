"""Which resource an object is written to, when only the object is at hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from admission.engine.policy import PolicySet
from admission.errors import PolicyError


@dataclass(frozen=True, slots=True, order=True)
class Resource:
    """A resource as an AdmissionReview names it; ``version`` may be empty (any)."""

    group: str
    resource: str
    subresource: str = ""
    version: str = ""

    @classmethod
    def parse(cls, text: str) -> Resource:
        """Read ``GROUP/RESOURCE`` or ``GROUP/RESOURCE/SUBRESOURCE``; the core group is empty (``/nodes``).

        Raises:
            PolicyError: it has another form.
        """
        parts = text.split("/")
        if len(parts) not in (2, 3) or not all(parts[1:]):
            raise PolicyError(f"{text!r} names no resource; write GROUP/RESOURCE, as in batch.volcano.sh/jobs/status")
        return cls(*parts)

    @property
    def endpoint(self) -> str:
        """As a rule names it: ``jobs/status``."""
        return f"{self.resource}/{self.subresource}" if self.subresource else self.resource

    def __str__(self) -> str:
        return f"{self.group}/{self.endpoint}"


def plurals(kind: str) -> tuple[str, ...]:
    """How the resource of a kind may be called, the most usual first: ``Policy`` → ``policies``, ``policys``.

    The API server guesses ``-ies`` for every ``-y``; authors of CRDs write English (``gateways``).
    """
    word = kind.lower()
    if word.endswith("y") and word[-2:-1] not in tuple("aeiou"):
        return (f"{word[:-1]}ies", f"{word}s", word)
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return (f"{word}es", word, f"{word}s")
    if word.endswith("y"):
        return (f"{word}s", f"{word[:-1]}ies", word)
    return (f"{word}s", word, f"{word}es")


def resource_of(policies: PolicySet, group: str, kind: str) -> Resource:
    """The resource of a kind among those that the policies' rules name.

    Raises:
        PolicyError: no rule fits, or several do.
    """
    candidates = sorted(_candidates(policies, group, plurals(kind)))
    name = f"{kind} of the group {group}" if group else f"{kind} of the core group"
    if not candidates:
        raise PolicyError(f"no loaded policy has a rule for a {name}; say what it is with --resource GROUP/RESOURCE")
    if len(candidates) > 1:
        listed = ", ".join(map(str, candidates))
        raise PolicyError(f"the rules name several resources for a {name}: {listed}; choose one with --resource")
    return candidates[0]


def _candidates(policies: PolicySet, group: str, names: tuple[str, ...]) -> set[Resource]:
    rules = {Resource(group, *endpoint.split("/")) for endpoint in _endpoints(policies, group)}
    named = {rule for rule in rules if rule.resource in names}
    already = {rule.subresource for rule in named}
    any_resource = {rule.subresource for rule in rules if rule.resource == "*"}
    return named | {Resource(group, names[0], subresource) for subresource in any_resource - already}


def _endpoints(policies: PolicySet, group: str) -> Iterator[str]:
    for policy in policies.policies:
        for rule in policy.match.resources:
            if group in rule.groups:
                yield from rule.resources
