"""What a policy does and what it can never do, in plain sentences made from the policy itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from admission.engine.policy import Policy
from admission.offline.explanation.limits import limit_told, rule_told
from admission.offline.explanation.matching import match_told, mode_told
from admission.offline.explanation.promises import promises
from admission.offline.explanation.steps import entry_told


@dataclass(frozen=True, slots=True)
class Explanation:
    """Sentences about one policy: which writes it looks at, what it does with them in turn, and what it never does."""

    policy: str
    source: str
    looks: tuple[str, ...]
    does: tuple[str, ...]
    never: tuple[str, ...]

    @classmethod
    def of(cls, policy: Policy) -> Explanation:
        """Explain a policy."""
        looks = (mode_told(policy), *match_told(policy.match))
        return cls(policy.name, policy.source, looks, tuple(_does(policy)), tuple(promises(policy)))

    def lines(self) -> Iterator[str]:
        """As text: a heading, and a sentence a line."""
        yield f"{self.policy} ({self.source})" if self.source else self.policy
        yield from (f"  {sentence}" for sentence in self.looks)
        yield from (f"  - {sentence}" for sentence in self.does)
        yield from (f"  {sentence}" for sentence in self.never)


def _does(policy: Policy) -> Iterator[str]:
    yield from map(entry_told, policy.trim)
    yield from map(rule_told, policy.suppress)
    for limit in policy.limits:
        yield limit_told(limit, policy.root)
