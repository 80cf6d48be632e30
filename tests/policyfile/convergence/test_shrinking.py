"""A sample is made as small as it goes."""

from __future__ import annotations

from admission.engine.schema import Schema
from admission.policyfile.convergence.sample import Sample
from admission.policyfile.convergence.shrinking import MOST_ATTEMPTS, smallest
from tests.policyfile.convergence.policies import WHERE


def test_only_what_it_takes_is_left() -> None:
    big = Sample(
        WHERE,
        {
            "kind": "Job",
            "status": {"a": [{"x": "yes"}, {"y": "no", "x": "long text"}], "b": {"c": "d"}},
            "spec": {"e": 1},
        },
        {"status": {"a": []}},
    )

    def fails(sample: Sample) -> bool:
        items = sample.submitted.get("status", {}).get("a", [])
        return any(isinstance(item, dict) and len(item.get("x", "")) > 4 for item in items)

    assert smallest(big, fails) == Sample(WHERE, {"kind": "Job", "status": {"a": [{"x": "long "}]}, "spec": {}})


def test_what_is_stored_stays_where_it_matters() -> None:
    sample = Sample(WHERE, {"status": {"a": "x"}}, {"status": {"a": "y", "b": "z"}})
    small = smallest(sample, lambda each: each.stored is not None and "a" in each.stored["status"])
    assert small == Sample(WHERE, {"status": {}}, {"status": {"a": "y"}})


def test_what_is_the_same_on_both_sides_stays_the_same() -> None:
    spec = {"queue": "default", "size": "long text"}
    sample = Sample(WHERE, {"spec": spec, "status": {"a": "x"}}, {"spec": spec, "status": {"a": "y"}})
    small = smallest(sample, lambda each: each.stored is not None and "queue" in each.stored["spec"])
    assert small == Sample(WHERE, {"spec": {"queue": "d"}, "status": {}}, {"spec": {"queue": "d"}, "status": {}})


def test_it_ends_however_long_it_takes() -> None:
    attempts = 0

    def fails(sample: Sample) -> bool:
        nonlocal attempts
        attempts += 1
        return attempts % 100 == 0

    smallest(Sample(WHERE, {"status": {"a": ["x" * 50] * 200}}), fails)
    assert attempts <= MOST_ATTEMPTS


def test_what_a_schema_demands_is_not_left_out() -> None:
    items = {"type": "array", "minItems": 2, "items": {"required": ["n"]}}
    schema = Schema.of({"properties": {"status": {"required": ["a"], "properties": {"a": items}}}})
    big = Sample(WHERE, {"status": {"a": [{"n": "long", "m": 1}] * 4, "b": 1}}, roots=("status",), schema=schema)
    small = smallest(big, lambda each: "status" in each.submitted)
    assert small.submitted == {"status": {"a": [{"n": "l"}, {"n": "l"}]}}


def test_a_writer_is_left_out_where_it_does_not_matter() -> None:
    sample = Sample(WHERE, {"status": {"a": "x"}}, {"status": {"a": "y"}}, written=1, roots=("status",))
    assert smallest(sample, lambda each: each.stored is not None).written is None
    assert smallest(sample, lambda each: each.written is not None).written == 1
