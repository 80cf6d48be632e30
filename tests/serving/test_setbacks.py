"""A handler gets all policies but those that keep failing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from msgspec import Raw

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision
from admission.engine.document import Document
from admission.engine.evaluate import evaluate
from admission.engine.fieldpath import FieldPath
from admission.engine.licence import Licence
from admission.engine.policy import Mode, Policy, PolicySet
from admission.engine.schema import ANY, Schema, Schemas
from admission.engine.steps import Effect
from admission.handler import Answer, Handler
from admission.observe.metrics import Metrics
from admission.observe.processlog import ProcessLog
from admission.observe.sink import MemorySink
from admission.serving.breaker import ASIDE, FAILURES
from admission.serving.setbacks import SEARCH_EVERY, Setbacks
from tests.engine.build import NOW, cap_list, custom_resource, path, policy, write
from tests.fuzz.review import envelope
from tests.serving.clock import Clock

BODY = envelope(write(custom_resource({"history": [1, 2, 3], "phase": "Running"})))


@dataclass(frozen=True, slots=True)
class Spoils:
    """A step that changes what it has no licence for."""

    kind: ClassVar[str] = "spoils"
    paths: tuple[FieldPath, ...] = (path("status.phase"),)

    @property
    def licence(self) -> Licence:
        return Licence()

    def apply(self, document: Document, now: int) -> Effect:
        for trail, container, key in list(document.places(self.paths[0])):
            document.replace(trail, container, key, Raw(b'"x"'))
        return Effect(ran=True, found=True)


@dataclass(frozen=True, slots=True)
class Raises:
    """A step with a fault."""

    kind: ClassVar[str] = "raises"
    paths: tuple[FieldPath, ...] = (path("status.phase"),)

    @property
    def licence(self) -> Licence:
        return Licence()

    def apply(self, document: Document, now: int) -> Effect:
        raise ZeroDivisionError


class Bench:
    """A handler and what it takes, with a clock that a test turns."""

    def __init__(self, *policies: Policy) -> None:
        self.clock, self.log, self.metrics = Clock(), MemorySink(), Metrics()
        self.process = ProcessLog(self.log, lambda: 0, lambda: 0)
        self.handler = Handler(PolicySet.of(policies), lambda: NOW)
        self.searches = 0
        self.setbacks = Setbacks(self.handler, self.metrics, self.process, self.clock, self.evaluate)
        self.setbacks.use(self.handler.policies)

    def evaluate(self, policies: PolicySet, attributes: Attributes, now: int) -> Decision:
        self.searches += 1
        return evaluate(policies, attributes, now)

    def write(self, times: int = 1) -> Answer:
        answers = []
        for _ in range(times):
            answers.append(self.handler.mutate(BODY))
            self.setbacks.note(answers[-1])
            self.clock.now += SEARCH_EVERY
        return answers[-1]

    @property
    def used(self) -> list[str]:
        return [each.name for each in self.handler.policies.policies]

    def told(self) -> list[dict[str, Any]]:
        self.process.flush()
        return [json.loads(line) for line in self.log.lines]

    def exposed(self, name: str) -> list[str]:
        return [line for line in self.metrics.exposition().decode().splitlines() if line.startswith(name)]


FINE, SPOILING, RAISING = (
    policy(cap_list(2), name="fine"),
    policy(Spoils(), name="spoiling"),
    policy(Raises(), name="raising"),
)


@pytest.fixture(params=[SPOILING, RAISING], ids=["breaks an invariant", "makes the engine fail"])
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    made = Bench(FINE, request.param)
    yield made
    made.process.close()


async def test_the_fifth_failure_sets_it_aside_and_the_others_go_on(bench: Bench) -> None:
    (failing,) = {*bench.used} - {"fine"}
    bench.write(FAILURES - 1)
    assert bench.used == ["fine", failing]
    bench.write()
    assert bench.used == ["fine"]
    answer = bench.write()
    assert answer.decision is not None
    assert (answer.decision.outcome, answer.decision.violations) == ("Trimmed", ())


async def test_it_is_told_once_and_counted(bench: Bench) -> None:
    (failing,) = {*bench.used} - {"fine"}
    bench.write(3 * FAILURES)
    (line,) = bench.told()
    assert (line["level"], line["message"], line["policy"], line["seconds"]) == (
        "warning",
        "policy is set aside",
        failing,
        300,
    )
    assert bench.exposed("statuscap_policies_set_aside") == ["statuscap_policies_set_aside 1.0"]
    assert bench.exposed("statuscap_policy_set_aside_total") == [
        f'statuscap_policy_set_aside_total{{policy="{failing}"}} 1.0'
    ]


async def test_it_comes_back_and_one_failure_sets_it_aside_for_longer(bench: Bench) -> None:
    (failing,) = {*bench.used} - {"fine"}
    bench.write(FAILURES)
    bench.clock.now += ASIDE
    bench.setbacks.take_back()
    assert bench.used == ["fine", failing]
    assert bench.exposed("statuscap_policies_set_aside ") == ["statuscap_policies_set_aside 0.0"]
    bench.write()
    assert bench.used == ["fine"]
    assert [line.get("seconds") for line in bench.told()] == [300, None, 600]


async def test_before_its_time_is_over_it_stays_aside(bench: Bench) -> None:
    bench.write(FAILURES)
    bench.setbacks.take_back()
    assert bench.used == ["fine"]


async def test_other_policies_begin_anew(bench: Bench) -> None:
    policies = bench.handler.policies
    bench.write(FAILURES)
    bench.setbacks.use(policies)
    assert bench.handler.policies is policies
    assert bench.exposed("statuscap_policies_set_aside ") == ["statuscap_policies_set_aside 0.0"]
    bench.write(FAILURES - 1)
    assert len(bench.used) == 2


async def test_what_is_known_of_kinds_stays_known_while_one_is_aside(bench: Bench) -> None:
    schemas = Schemas({(ANY, ANY, ANY): Schema()})
    bench.write(FAILURES)
    bench.setbacks.know(schemas)
    assert (bench.used, bench.handler.policies.schemas) == (["fine"], schemas)
    bench.clock.now += ASIDE
    bench.setbacks.take_back()
    assert (len(bench.used), bench.handler.policies.schemas) == (2, schemas)


async def test_who_made_the_engine_fail_is_searched_for_once_a_second() -> None:
    bench = Bench(FINE, RAISING)
    for _ in range(20):
        bench.setbacks.note(bench.handler.mutate(BODY))
    assert bench.searches == 2  # one for each policy
    bench.process.close()


async def test_one_that_only_observes_is_set_aside_as_well() -> None:
    bench = Bench(FINE, policy(Spoils(), name="watching", mode=Mode.DRY_RUN))
    bench.write(FAILURES)
    assert bench.used == ["fine"]
    bench.process.close()
