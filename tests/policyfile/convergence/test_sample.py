"""Samples are writes that policies look at."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from admission.engine.decision import Outcome
from admission.engine.evaluate import evaluate
from admission.engine.instant import SECOND
from admission.engine.policy import PolicySet
from admission.engine.schema import Schema
from admission.policyfile.convergence.instants import NOW
from admission.policyfile.convergence.owners import MANAGER
from admission.policyfile.convergence.sample import Sample, encoded, samples
from admission.policyfile.meetings import Where
from tests.engine.build import GROUP, cap_list, go, policy, suppress
from tests.policyfile.convergence.policies import CALM, RESTORING, WHERE


def test_a_sample_is_a_write_that_the_policy_looks_at() -> None:
    for sample in samples([CALM], WHERE, 10):
        attributes = sample.attributes()
        assert PolicySet.of([CALM]).matching(attributes) == (CALM,)
        assert attributes.operation == ("CREATE" if sample.stored is None else "UPDATE")
        assert json.loads(bytes(attributes.submitted)) == sample.submitted


def test_half_of_them_are_over_something_alike_and_some_over_the_same_or_nothing() -> None:
    drawn = list(samples([RESTORING], WHERE, 50))
    assert sum(sample.stored is None for sample in drawn) == 10
    assert sum(sample.stored == sample.submitted for sample in drawn) >= 10


def test_only_the_roots_differ_from_what_is_stored() -> None:
    asking = policy(cap_list(1), when=["spec.retain In short", "metadata.labels.tier NotIn gold"])
    for sample in samples([asking], WHERE, 60):
        rest = [{**each, "status": None} for each in (sample.submitted, sample.stored or sample.submitted)]
        assert rest[0] == rest[1]


def test_bytes_are_those_of_the_api_server() -> None:
    value: dict[str, Any] = {"b": "a<b>&\u2028é", "a": [1, None, True, {}]}
    assert bytes(encoded(value)) == go(value)


def test_a_sample_is_told_as_a_case_of_a_suite_with_long_texts_cut() -> None:
    told = Sample(WHERE, {"status": {"log": "é" * 300}}, {"status": {}}).told()
    assert list(told) == ["now", "object", "oldObject"]
    assert told["object"]["status"]["log"] == "é" * 200 + "… (600 bytes in all)"


@pytest.mark.parametrize("seed", ["1", "2"])
def test_samples_are_the_same_in_every_process(seed: str) -> None:
    script = (
        "from tests.policyfile.convergence.policies import RESTORING, WHERE\n"
        "from admission.policyfile.convergence.sample import samples\n"
        "print([(each.submitted, each.stored) for each in samples([RESTORING], WHERE, 20)])"
    )
    made = subprocess.run(
        [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
    )
    assert made.stdout.strip() == str([(each.submitted, each.stored) for each in samples([RESTORING], WHERE, 20)])


def test_a_kind_without_a_subresource_is_written_whole() -> None:
    (sample,) = samples([CALM], Where(GROUP, "jobs"), 1)
    assert sample.attributes().subresource == ""


BEATING = policy(cap_list(3), suppress=[suppress("status.load", percent="5", stale="60s")])


def test_where_heartbeats_may_be_held_back_samples_have_a_writer_of_every_age_around_what_is_allowed() -> None:
    owned = [each for each in samples([BEATING], WHERE, 60) if each.written is not None]
    assert {(NOW - (each.written or 0)) // SECOND for each in owned} == {30, 60, 61}
    for sample in owned:
        attributes = sample.attributes()
        assert attributes.field_manager == MANAGER
        for side in (attributes.submitted, attributes.stored or attributes.submitted):
            (entry,) = json.loads(bytes(side))["metadata"]["managedFields"]
            assert entry["fieldsV1"].keys() <= {"f:status"}
    assert all(each.written is None for each in samples([CALM], WHERE, 60))


def test_heartbeats_are_held_back_in_some_of_them() -> None:
    """Of what is not a time nobody knows the age unless somebody owns it."""
    under = PolicySet.of([BEATING])
    outcomes = [evaluate(under, each.attributes(), NOW).outcome for each in samples([BEATING], WHERE, 200)]
    assert Outcome.SUPPRESSED in outcomes


def test_a_sample_with_a_writer_is_told_with_it() -> None:
    told = Sample(WHERE, {"status": {}}, {"status": {}}, written=NOW - SECOND, roots=("status",)).told()
    assert [told[side]["metadata"]["managedFields"][0]["time"] for side in ("object", "oldObject")] == [
        "2026-01-01T12:00:00Z",
        "2026-01-01T11:59:59Z",
    ]


def test_samples_have_the_form_of_the_schema_and_only_of_what_policies_read() -> None:
    status = {"type": "object", "required": ["phase"], "properties": {"phase": {"type": "string", "enum": ["Up"]}}}
    schema = Schema.of({"type": "object", "properties": {"status": status, "spec": {"type": "object"}}})
    for sample in samples([CALM], WHERE, 30, schema):
        assert [side["status"] for side in (sample.submitted, sample.stored or sample.submitted)] == [
            {"phase": "Up"}
        ] * 2
        assert "spec" not in sample.submitted
