"""Policies go into another process whole, and what it thinks of them comes back."""

from __future__ import annotations

import os
import subprocess
import sys

import msgspec
import pytest

from admission.engine.policy import PolicySet
from admission.engine.schema import Schema, Schemas
from admission.policyfile.convergence.apart import COMMAND, packed, read_report, report_of, unpacked
from admission.policyfile.loader import load_policies
from admission.policyfile.presets import presets_directory
from tests.engine.build import GROUP
from tests.policyfile.convergence.policies import CALM, CUTTING, RESTORING, chain


def test_policies_arrive_as_they_were() -> None:
    policies = load_policies([presets_directory()])
    assert unpacked(packed(policies)) == policies


def test_what_is_known_of_their_kinds_goes_along_and_of_no_others() -> None:
    ours, others = (GROUP, "v1", "jobs"), ("other.io", "v1", "jobs")
    known = Schemas({ours: Schema(min_items=1), others: Schema()})
    assert unpacked(packed(PolicySet.of([CALM], known))).schemas.by_resource == {ours: Schema(min_items=1)}


def test_the_report_names_who_does_not_converge_with_a_sample() -> None:
    report = report_of(PolicySet.of([CALM, CUTTING, RESTORING, chain("a", "b", "c", "d")]))
    assert (report.nonconverging, report.policies_left, report.pairs_left) == (3, 0, 0)
    alone, together = report.told
    assert (alone.policies, together.policies) == (("chain",), ("cutting", "restoring"))
    assert alone.sample["object"]["status"] == {name: [{}, {}] for name in "abcd"}


def test_the_command_reads_policies_and_writes_a_report() -> None:
    policies = PolicySet.of([CALM, chain("a", "b", "c", "d")])
    done = subprocess.run(COMMAND, input=packed(policies), capture_output=True, check=True)
    assert read_report(done.stdout) == msgspec.convert(
        msgspec.to_builtins(report_of(policies)), type(report_of(policies))
    )


def test_it_is_the_least_important_process() -> None:
    script = (
        "import io, os; from admission.policyfile.convergence.apart import main, packed\n"
        "from admission.engine.policy import PolicySet\n"
        "main(io.BytesIO(packed(PolicySet.of([]))), io.BytesIO()); print(os.nice(0))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(done.stdout) == 19 > os.nice(0)


def test_a_report_that_was_broken_off_is_an_error() -> None:
    with pytest.raises(msgspec.DecodeError):
        read_report(b"")
