"""All that is told about one answer."""

import json
from dataclasses import replace
from typing import Any

from msgspec.structs import replace as bent

from admission.engine.decision import Violation
from admission.handler import Answer, Handler
from admission.observe.decisionlog import DecisionLog
from admission.observe.metrics import Metrics
from admission.observe.observer import Observer
from admission.observe.processlog import ProcessLog
from admission.observe.sink import MemorySink
from tests.observe.answers import NOW, POLICIES, TRIMMED, answer, failed
from tests.review_sample import UID


class Told:
    def __init__(self, *answers: Answer) -> None:
        self.sink, self.said, self.metrics = MemorySink(), MemorySink(), Metrics()
        self.metrics.use(POLICIES)
        log = DecisionLog(self.sink)
        process = ProcessLog(self.said, lambda: NOW, lambda: 0)
        observer = Observer(self.metrics, log, process)
        for each in answers:
            observer.observe(each, 1_000)
        log.close()
        process.close()

    @property
    def process_lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.said.lines]

    def errors(self, cause: str) -> float | None:
        return self.metrics.registry.get_sample_value("statuscap_errors_total", {"cause": cause})


def test_a_trimmed_write_is_logged_and_counted() -> None:
    told = Told(answer())
    assert len(told.sink.lines) == 1
    assert told.process_lines == []


def test_a_fault_is_told_everywhere() -> None:
    told = Told(failed(KeyError("x")), failed(KeyError("x")))
    assert [json.loads(line)["reason"] for line in told.sink.lines] == ["Fault", "Fault"]
    assert told.errors("engine") == 2
    assert [(line["cause"], line["uid"]) for line in told.process_lines] == [("engine", UID)]


def test_a_body_that_is_no_review_is_told_with_what_became_of_it() -> None:
    told = Told(Handler(POLICIES).mutate(b"text"))
    assert [(line["cause"], line["consequence"]) for line in told.process_lines] == [("bad_review", "refused")]


def test_a_broken_invariant_names_its_policy() -> None:
    violations = (Violation("I5", "grows", "status got bigger", "capList"), Violation("I5", "other", "so did it"))
    told = Told(answer(bent(TRIMMED, violations=violations)))
    assert [(line["cause"], line["policy"], line["step"]) for line in told.process_lines] == [
        ("invariant_I5 grows capList", "grows", "capList"),
        ("invariant_I5 other", "other", ""),
    ]
    assert told.errors("invariant_I5") == 2


def test_an_observer_that_fails_says_so_and_goes_on() -> None:
    odd = replace(answer(), attributes=5)  # type: ignore[arg-type]  # what no handler gives
    told = Told(odd, answer())
    assert [line["cause"] for line in told.process_lines] == ["observer"]
    assert len(told.sink.lines) == 1
