"""The sample put through the handler: by the suite's own words, or by an engine that decides as it is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from admission.engine.attributes import Attributes
from admission.engine.decision import Decision
from admission.engine.policy import PolicySet
from admission.handler import Evaluate
from admission.offline.case import CaseResult
from admission.offline.gojson import tree_of_json
from admission.offline.rehearsal import Rehearsal, rehearse
from admission.offline.resource import Resource
from admission.offline.suite import run_file
from admission.offline.write import Write
from tests.offline.samples import SUITE, WIDGET, bent, written


def result(folder: Path, suite: Any = SUITE, **expect: Any) -> CaseResult:
    """Run the sample's one case with other expectations."""
    if expect:
        suite = bent(suite, "cases", 0, "expect", to=expect)
    (only,) = run_file(written(folder, "s.suite.yaml", suite), now=0).cases
    return only


def failed(folder: Path, suite: Any = SUITE, **expect: Any) -> list[str]:
    """What of the sample's one case does not hold."""
    return [failure.what for failure in result(folder, suite, **expect).failures]


def engine(*decisions: Decision | Exception) -> Evaluate:
    """Another engine, that decides so call after call: the real one has no faults to show."""
    remaining = list(decisions)

    def evaluate(policies: PolicySet, attributes: Attributes, now: int) -> Decision:
        decision = remaining.pop(0)
        if isinstance(decision, Exception):
            raise decision
        return decision

    return evaluate


def widget(**bends: Any) -> Write:
    """The write of the sample, with other members."""
    document = tree_of_json(json.dumps({**WIDGET, **bends}).encode())
    assert isinstance(document, dict)
    return Write.of(document, Resource("example.com", "widgets", "status"), source="w.json")


def rehearsed(decision: Decision | Exception, **metadata: str) -> Rehearsal:
    """The sample, as an engine that decides so would have it."""
    write = widget(metadata=metadata) if metadata else widget()
    return rehearse(PolicySet.of([]), write, 0, engine(decision))
