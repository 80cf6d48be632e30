"""Sets policies aside that keep failing, and takes them back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from typing import Final

from admission.engine.evaluate import evaluate as evaluate_by_engine
from admission.engine.instant import SECOND
from admission.engine.policy import PolicySet
from admission.engine.schema import Schemas
from admission.handler import Answer, Clock, Evaluate, Handler
from admission.observe.metrics import Metrics
from admission.observe.processlog import ProcessLog
from admission.serving.breaker import Breaker
from admission.serving.culprits import culprits

SEARCH_EVERY: Final = SECOND
"""Nanoseconds between two searches for the policies that make the engine fail: each one judges a write again."""


class Setbacks:
    """Gives the handler all policies but those that keep failing. Lives in the event loop."""

    def __init__(
        self,
        handler: Handler,
        metrics: Metrics,
        process: ProcessLog,
        monotonic: Clock = time.monotonic_ns,
        evaluate: Evaluate = evaluate_by_engine,
    ) -> None:
        """``monotonic`` tells nanoseconds of a clock that never jumps; ``evaluate`` is the engine."""
        self._handler = handler
        self._metrics = metrics
        self._process = process
        self._monotonic = monotonic
        self._evaluate = evaluate
        self._breaker = Breaker(monotonic)
        self._all = handler.policies
        self._searched: int | None = None
        self._timer: asyncio.TimerHandle | None = None

    def use(self, policies: PolicySet) -> None:
        """Use other policies from now on, none of which has failed yet."""
        self._breaker.forget()
        self._all = self._handler.policies = policies
        self._metrics.set_aside(0)
        self._wait()

    def know(self, schemas: Schemas) -> None:
        """Use the same policies with other schemas."""
        self._all = self._all.knowing(schemas)
        self._handler.policies = self._handler.policies.knowing(schemas)

    def note(self, answer: Answer) -> None:
        """Note the policies that have failed in an answer."""
        for name in dict.fromkeys(self._failed(answer)):
            nanoseconds = self._breaker.fail(name) if name in self._all.by_name else None
            if nanoseconds is not None:
                self._set_aside(name, nanoseconds)

    def take_back(self) -> None:
        """Take those back whose time is over. Whether they still fail is seen with the next write."""
        back = self._breaker.back()
        self._apply()
        if back:
            self._process.info("policies are back", policies=back, note="the next failure sets them aside for longer")

    def _failed(self, answer: Answer) -> Iterable[str]:
        if answer.decision is not None and answer.decision.violations:
            return [violation.policy for violation in answer.decision.violations]
        now = self._monotonic()
        if answer.attributes is None or (self._searched is not None and now - self._searched < SEARCH_EVERY):
            return []
        self._searched = now
        return culprits(answer.policies, answer.attributes, answer.at, self._evaluate)

    def _set_aside(self, name: str, nanoseconds: int) -> None:
        self._apply(name)
        self._process.warning(
            "policy is set aside",
            policy=name,
            seconds=nanoseconds // SECOND,
            consequence="nothing is trimmed or rejected by it meanwhile; it keeps failing, see the lines before",
        )

    def _apply(self, failing: str = "") -> None:
        aside = self._breaker.aside
        self._handler.policies = self._all.without(aside)
        self._metrics.set_aside(len(aside), failing)
        self._wait()

    def _wait(self) -> None:
        """Come again when the next one's time is over."""
        if self._timer is not None:
            self._timer.cancel()
        left = self._breaker.left()
        self._timer = None if left is None else asyncio.get_running_loop().call_later(left / SECOND, self.take_back)
