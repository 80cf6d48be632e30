"""Paths that never lead anywhere: most likely somebody mistyped them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from admission.engine.decision import Decision, StepReport

ENOUGH: Final = 1_000
"""Reviews after which a path that led nowhere is told. Many fields are there only now and then: a message of a failure,
a history before its first entry."""

CAPACITY: Final = 10_000
"""Steps that are remembered: a thousand policies have some thousands. Those of policies that are gone go with all."""

_SETTLED: Final = -1

_Key: TypeAlias = tuple[str, str, str]
"""A policy, the kind of a step and its paths: a path that was mended is another one. Which of a policy's steps it is
would not do: those of a budget are reported only where they ran."""


class Typos:
    """Counts the reviews in which the paths of a step led nowhere, until they lead somewhere for the first time."""

    def __init__(self, enough: int = ENOUGH, capacity: int = CAPACITY) -> None:
        self._enough = enough
        self._capacity = capacity
        self._in_vain: dict[_Key, int] = {}

    def __len__(self) -> int:
        """Steps that are remembered."""
        return len(self._in_vain)

    def in_vain(self, decision: Decision) -> Sequence[tuple[str, StepReport]]:
        """Note a decision. The steps to tell now, each once: the policy, and what the step reports."""
        return [
            (policy.name, step)
            for policy in decision.policies
            for step in policy.steps
            if step.found is not None and self._is_to_tell((policy.name, step.step, step.path), found=step.found)
        ]

    def _is_to_tell(self, key: _Key, *, found: bool) -> bool:
        count = self._in_vain.get(key, 0)
        if count == _SETTLED:
            return False
        if len(self._in_vain) >= self._capacity and key not in self._in_vain:
            self._in_vain.clear()
        is_to_tell = not found and count + 1 >= self._enough
        self._in_vain[key] = _SETTLED if found or is_to_tell else count + 1
        return is_to_tell
